// Results in SQLite: a run has results, a result has samples. Problems and configurations are JSON, which SQL reads
// with ->>; the view `best` has what most queries ask for.
#include <fmt/format.h>
#include <sqlite3.h>

#include <memory>

#include "runtime/files.h"
#include "tools/bench/results.h"
#include "tools/print/exit.h"

namespace wavesmith::tools {
namespace {

using nlohmann::ordered_json;

constexpr const char* schema = R"(
create table if not exists runs (
  id integer primary key, created text not null default current_timestamp, operation text not null, made_with text not null);
create table if not exists results (
  id integer primary key, run integer not null references runs(id), problem text not null, config text not null,
  flops real not null, bytes real not null);
create table if not exists samples (
  result integer not null references results(id), implementation text not null, position integer not null,
  kernel text not null, norm_error real, round integer not null, us real not null);
create index if not exists samples_of_result on samples(result);
create view if not exists best as
  select results.run, results.id as result, samples.implementation, samples.kernel, min(samples.us) as us,
         results.flops / min(samples.us) * 1e-3 as gflops, results.problem, results.config
  from results join samples on samples.result = results.id group by results.id, samples.implementation;
)";

class Database {
 public:
  Database(const std::string& file, bool write) : file_(file) {
    sqlite3* p = nullptr;
    const int flags = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    const int status = sqlite3_open_v2(file.c_str(), &p, flags, nullptr);
    db_.reset(p);
    check(status);
    sqlite3_busy_timeout(p, 10'000);
    sqlite3_limit(p, SQLITE_LIMIT_LENGTH, 64 << 20);
  }
  void run(const char* sql) { check(sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr)); }
  int64_t last_id() const { return sqlite3_last_insert_rowid(db_.get()); }
  void check(int status) const {
    if (status == SQLITE_OK || status == SQLITE_ROW || status == SQLITE_DONE) return;
    const std::string line = fmt::format("{}: {}", file_, db_ ? sqlite3_errmsg(db_.get()) : sqlite3_errstr(status));
    if (status == SQLITE_FULL || status == SQLITE_IOERR || status == SQLITE_NOMEM) throw runtime::MachineError(line);
    throw runtime::FileError(line);
  }

 private:
  friend class Statement;
  struct Close {
    void operator()(sqlite3* p) const { sqlite3_close(p); }
  };
  std::string file_;
  std::unique_ptr<sqlite3, Close> db_;
};

class Statement {
 public:
  Statement(Database& db, const char* sql) : db_(db) {
    sqlite3_stmt* p = nullptr;
    db.check(sqlite3_prepare_v2(db.db_.get(), sql, -1, &p, nullptr));
    statement_.reset(p);
  }
  Statement& bind(int64_t x) { return bound(sqlite3_bind_int64(statement_.get(), ++bound_, x)); }
  Statement& bind(double x) { return bound(sqlite3_bind_double(statement_.get(), ++bound_, x)); }
  Statement& bind(const std::string& x) {
    return bound(sqlite3_bind_text(statement_.get(), ++bound_, x.data(), static_cast<int>(x.size()), SQLITE_TRANSIENT));
  }
  Statement& bind(const std::optional<double>& x) {
    return x ? bind(*x) : bound(sqlite3_bind_null(statement_.get(), ++bound_));
  }
  bool step() {
    const int status = sqlite3_step(statement_.get());
    db_.check(status);
    return status == SQLITE_ROW;
  }
  int64_t integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  double real(int column) const { return sqlite3_column_double(statement_.get(), column); }
  bool null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }
  std::string text(int column) const {
    const auto* p = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
    return p ? std::string(p, static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column))) : "";
  }

 private:
  Statement& bound(int status) {
    db_.check(status);
    return *this;
  }
  struct Finalize {
    void operator()(sqlite3_stmt* p) const { sqlite3_finalize(p); }
  };
  Database& db_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
};

std::string json_of(const Columns& columns) {
  ordered_json j = ordered_json::object();
  for (const auto& [name, value] : columns) j[name] = value;
  return j.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}
Columns columns_of_json(const std::string& text, const std::string& file) {
  const ordered_json j = ordered_json::parse(text, nullptr, false);
  if (!j.is_object()) throw InputError(fmt::format("{}: a problem or configuration that is not a JSON object", file));
  Columns out;
  for (const auto& [name, value] : j.items())
    out.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
  return out;
}

void add_row(Database& db, int64_t run, const BenchRow& r) {
  Statement(db, "insert into results(run, problem, config, flops, bytes) values (?, ?, ?, ?, ?)")
      .bind(run)
      .bind(json_of(r.problem))
      .bind(json_of(r.config))
      .bind(r.flops)
      .bind(r.bytes)
      .step();
  const int64_t result = db.last_id();
  for (size_t i = 0; i < r.measured.size(); ++i)
    for (size_t round = 0; round < r.measured[i].us.size(); ++round)
      Statement(db,
                "insert into samples(result, implementation, position, kernel, norm_error, round, us) values (?, ?, ?, "
                "?, ?, ?, ?)")
          .bind(result)
          .bind(r.measured[i].by)
          .bind(static_cast<int64_t>(i))
          .bind(r.measured[i].kernel)
          .bind(r.measured[i].error)
          .bind(static_cast<int64_t>(round))
          .bind(r.measured[i].us[round])
          .step();
}

}  // namespace

void add_to_database(const BenchRun& run, const std::string& file) {
  Database db(file, true);
  db.run("begin immediate");  // one that is not committed is rolled back
  db.run(schema);
  Statement(db, "insert into runs(operation, made_with) values (?, ?)")
      .bind(run.operation)
      .bind(json_of(run.made_with))
      .step();
  const int64_t id = db.last_id();
  for (const BenchRow& r : run.rows) add_row(db, id, r);
  db.run("commit");
}

BenchRun load_from_database(const std::string& file, std::optional<int64_t> number) {
  Database db(file, false);
  Statement runs(db, number ? "select id, operation, made_with from runs where id = ?"
                            : "select id, operation, made_with from runs order by id desc limit 1");
  if (number) runs.bind(*number);
  if (!runs.step())
    throw InputError(number ? fmt::format("{}: there is no run {}", file, *number) : file + ": there are no runs");
  BenchRun run{.operation = runs.text(1), .made_with = columns_of_json(runs.text(2), file), .rows = {}};
  Statement results(db, "select id, problem, config, flops, bytes from results where run = ? order by id");
  results.bind(runs.integer(0));
  while (results.step()) {
    BenchRow row{.problem = columns_of_json(results.text(1), file),
                 .config = columns_of_json(results.text(2), file),
                 .flops = results.real(3),
                 .bytes = results.real(4),
                 .measured = {}};
    Statement samples(db,
                      "select implementation, position, kernel, norm_error, us from samples where result = ? order by "
                      "position, round");
    samples.bind(results.integer(0));
    for (int64_t position = -1; samples.step();) {
      if (samples.integer(1) != position) {
        position = samples.integer(1);
        row.measured.push_back({.by = samples.text(0), .kernel = samples.text(2), .us = {}});
        if (!samples.null(3)) row.measured.back().error = samples.real(3);
      }
      row.measured.back().us.push_back(samples.real(4));
    }
    if (row.measured.empty()) throw InputError(file + ": a result without samples");
    run.rows.push_back(std::move(row));
  }
  if (run.rows.empty()) throw InputError(file + ": the run has no results");
  return run;
}

}  // namespace wavesmith::tools
