// Functions of rocSPARSE (Debian's librocsparse0) on the device of libwavesmith_hip against loops on the host.
#include <hip/hip_runtime_api.h>
#include <rocsparse/rocsparse.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "results.h"

namespace {

std::mt19937 random_bits(1);
float any() { return std::uniform_real_distribution<float>(-1, 1)(random_bits); }
std::vector<float> vector_of(int n) {
  std::vector<float> x(static_cast<size_t>(n));
  for (float& v : x) v = any();
  return x;
}

template <class T>
T* room(size_t count) {
  void* p = nullptr;
  OK(hipMalloc(&p, std::max<size_t>(count, 1) * sizeof(T)));
  return static_cast<T*>(p);
}
template <class T>
T* on_device(const std::vector<T>& v) {
  T* p = room<T>(v.size());
  OK(hipMemcpy(p, v.data(), v.size() * sizeof(T), hipMemcpyHostToDevice));
  return p;
}
template <class T>
std::vector<T> from_device(const T* p, size_t count) {
  std::vector<T> v(count);
  OK(hipMemcpy(v.data(), p, count * sizeof(T), hipMemcpyDeviceToHost));
  return v;
}

// The largest error may be `tolerance` of the largest element.
template <class T, class R>
void expect(const char* what, const T* device, const std::vector<R>& reference, double tolerance = 0) {
  const auto got = from_device(device, reference.size());
  double error = 0, largest = 1e-30;
  for (size_t i = 0; i < got.size(); ++i) {
    const double e = std::abs(got[i] - static_cast<T>(reference[i]));
    largest = std::max<double>(largest, std::abs(reference[i]));
    if (!(e <= error)) error = e;
  }
  const bool good = error <= tolerance * largest;
  std::printf("%s %s: error %.3g of %.3g\n", good ? "right" : "WRONG", what, error, largest);
  ++(good ? right : wrong);
}

struct Csr {  // and its copy on the device
  int rows, columns;
  std::vector<int> at{0}, column{};
  std::vector<float> value{};
  int *d_at = nullptr, *d_column = nullptr;
  float* d_value = nullptr;
  int count() const { return static_cast<int>(value.size()); }
  void put(int c, float v) { column.push_back(c), value.push_back(v); }
  void end_row() { at.push_back(count()); }
  void copy() { d_at = on_device(at), d_column = on_device(column), d_value = on_device(value); }
  template <class F>
  void each(int row, F&& f) const {
    for (int i = at[static_cast<size_t>(row)]; i < at[static_cast<size_t>(row) + 1]; ++i)
      f(column[static_cast<size_t>(i)], value[static_cast<size_t>(i)]);
  }
};
// With empty rows and a full one.
Csr matrix(int rows, int columns) {
  Csr m{rows, columns};
  for (int r = 0; r < rows; ++r) {
    const int chance = r % 7 == 0 ? 0 : r == 50 ? columns : 10;
    for (int c = 0; c < columns; ++c)
      if (static_cast<int>(random_bits() % static_cast<unsigned>(columns)) < chance) m.put(c, any());
    m.end_row();
  }
  m.copy();
  return m;
}
Csr lower_triangle(int n) {
  Csr m{n, n};
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < r; ++c)
      if (random_bits() % 12 == 0) m.put(c, 0.3f * any());
    m.put(r, 1.5f + 0.3f * any()), m.end_row();
  }
  m.copy();
  return m;
}

rocsparse_handle handle;
constexpr auto none = rocsparse_operation_none, transposed = rocsparse_operation_transpose;
const float alpha = 1.5f, beta = -0.5f;

rocsparse_mat_descr general() {
  rocsparse_mat_descr d;
  OK(rocsparse_create_mat_descr(&d));
  return d;
}
rocsparse_mat_info info() {
  rocsparse_mat_info i;
  OK(rocsparse_create_mat_info(&i));
  return i;
}

void products(const Csr& a) {
  const rocsparse_mat_descr d = general();
  const auto x = vector_of(a.columns), y = vector_of(a.rows);
  std::vector<double> reference;
  for (int r = 0; r < a.rows; ++r) {
    double sum = 0;
    a.each(r, [&](int c, float v) { sum += double{v} * x[static_cast<size_t>(c)]; });
    reference.push_back(alpha * sum + beta * y[static_cast<size_t>(r)]);
  }
  float *dx = on_device(x), *dy = on_device(y);
  OK(rocsparse_scsrmv(handle, none, a.rows, a.columns, a.count(), &alpha, d, a.d_value, a.d_at, a.d_column, nullptr, dx,
                      &beta, dy));
  expect("csrmv", dy, reference, 1e-5);

  const rocsparse_mat_info analysed = info();
  OK(rocsparse_scsrmv_analysis(handle, none, a.rows, a.columns, a.count(), d, a.d_value, a.d_at, a.d_column, analysed));
  dy = on_device(y);
  OK(rocsparse_scsrmv(handle, none, a.rows, a.columns, a.count(), &alpha, d, a.d_value, a.d_at, a.d_column, analysed,
                      dx, &beta, dy));
  expect("csrmv, analysed", dy, reference, 1e-5);

  rocsparse_hyb_mat hybrid;
  OK(rocsparse_create_hyb_mat(&hybrid));
  OK(rocsparse_scsr2hyb(handle, a.rows, a.columns, d, a.d_value, a.d_at, a.d_column, hybrid, 0,
                        rocsparse_hyb_partition_auto));
  dy = on_device(y);
  OK(rocsparse_shybmv(handle, none, &alpha, d, hybrid, dx, &beta, dy));
  expect("hybmv", dy, reference, 1e-5);

  const int side = 4, block_rows = (a.rows + side - 1) / side, block_columns = (a.columns + side - 1) / side;
  int* at = room<int>(static_cast<size_t>(block_rows) + 1);
  int blocks = 0;
  OK(rocsparse_csr2bsr_nnz(handle, rocsparse_direction_row, a.rows, a.columns, d, a.d_at, a.d_column, side, d, at,
                           &blocks));
  int* column = room<int>(static_cast<size_t>(blocks));
  float* value = room<float>(static_cast<size_t>(blocks) * side * side);
  OK(rocsparse_scsr2bsr(handle, rocsparse_direction_row, a.rows, a.columns, d, a.d_value, a.d_at, a.d_column, side, d,
                        value, at, column));
  auto padded_x = x, padded_y = y;
  padded_x.resize(static_cast<size_t>(block_columns * side)), padded_y.resize(static_cast<size_t>(block_rows * side));
  dy = on_device(padded_y);
  OK(rocsparse_sbsrmv(handle, rocsparse_direction_row, none, block_rows, block_columns, blocks, &alpha, d, value, at,
                      column, side, on_device(padded_x), &beta, dy));
  expect("bsrmv", dy, reference, 1e-5);

  std::vector<double> across(static_cast<size_t>(a.columns));
  for (int r = 0; r < a.rows; ++r)
    a.each(r, [&](int c, float v) { across[static_cast<size_t>(c)] += double{v} * y[static_cast<size_t>(r)]; });
  for (size_t c = 0; c < across.size(); ++c) across[c] = alpha * across[c] + beta * x[c];
  OK(rocsparse_scsrmv(handle, transposed, a.rows, a.columns, a.count(), &alpha, d, a.d_value, a.d_at, a.d_column,
                      nullptr, on_device(y), &beta, dx));
  expect("csrmv, transposed", dx, across, 1e-5);

  const int k = 19;
  const auto b = vector_of(a.columns * k), c = vector_of(a.rows * k);
  std::vector<double> many;
  for (int j = 0; j < k; ++j)
    for (int r = 0; r < a.rows; ++r) {
      double sum = 0;
      a.each(r, [&](int i, float v) { sum += double{v} * b[static_cast<size_t>(i + j * a.columns)]; });
      many.push_back(alpha * sum + beta * c[static_cast<size_t>(r + j * a.rows)]);
    }
  float* dc = on_device(c);
  OK(rocsparse_scsrmm(handle, none, none, a.rows, k, a.columns, a.count(), &alpha, d, a.d_value, a.d_at, a.d_column,
                      on_device(b), a.columns, &beta, dc, a.rows));
  expect("csrmm", dc, many, 1e-5);

  using Complex = std::complex<double>;
  std::vector<Complex> av, xv, yv, rv;
  for (const float v : a.value) av.emplace_back(v, any());
  for (const float v : x) xv.emplace_back(v, any());
  for (const float v : y) yv.emplace_back(v, any());
  for (int r = 0; r < a.rows; ++r) {
    Complex sum = 0;
    for (int i = a.at[static_cast<size_t>(r)]; i < a.at[static_cast<size_t>(r) + 1]; ++i)
      sum += av[static_cast<size_t>(i)] * xv[static_cast<size_t>(a.column[static_cast<size_t>(i)])];
    rv.push_back(Complex(0, 2) * sum + yv[static_cast<size_t>(r)]);
  }
  const rocsparse_double_complex factor(0, 2), once(1, 0);
  const auto cast = [](Complex* p) { return reinterpret_cast<rocsparse_double_complex*>(p); };
  Complex* dz = on_device(yv);
  OK(rocsparse_zcsrmv(handle, none, a.rows, a.columns, a.count(), &factor, d, cast(on_device(av)), a.d_at, a.d_column,
                      nullptr, cast(on_device(xv)), &once, cast(dz)));
  expect("csrmv, complex double", dz, rv, 1e-13);
}

void conversions(const Csr& a) {
  const rocsparse_mat_descr d = general();
  const auto count = static_cast<size_t>(a.count());
  std::vector<int> row, in_column{0}, of_column;
  std::vector<float> by_column, dense(static_cast<size_t>(a.rows * a.columns));
  for (int r = 0; r < a.rows; ++r)
    a.each(r, [&](int c, float v) { row.push_back(r), dense[static_cast<size_t>(r + c * a.rows)] = v; });
  for (int c = 0; c < a.columns; ++c) {
    for (int r = 0; r < a.rows; ++r)
      a.each(r, [&](int at, float v) {
        if (at == c) of_column.push_back(r), by_column.push_back(v);
      });
    in_column.push_back(static_cast<int>(of_column.size()));
  }
  size_t bytes = 0;
  OK(rocsparse_csr2csc_buffer_size(handle, a.rows, a.columns, a.count(), a.d_at, a.d_column, rocsparse_action_numeric,
                                   &bytes));
  float* value = room<float>(count);
  int *index = room<int>(count), *at = room<int>(in_column.size());
  OK(rocsparse_scsr2csc(handle, a.rows, a.columns, a.count(), a.d_value, a.d_at, a.d_column, value, index, at,
                        rocsparse_action_numeric, rocsparse_index_base_zero, room<char>(bytes)));
  expect("csr2csc, columns", at, in_column), expect("csr2csc, rows", index, of_column);
  expect("csr2csc, values", value, by_column);

  float* all = room<float>(dense.size());
  OK(rocsparse_scsr2dense(handle, a.rows, a.columns, d, a.d_value, a.d_at, a.d_column, all, a.rows));
  expect("csr2dense", all, dense);
  int *in_row = room<int>(static_cast<size_t>(a.rows)), found = 0;
  OK(rocsparse_snnz(handle, rocsparse_direction_row, a.rows, a.columns, d, all, a.rows, in_row, &found));
  at = room<int>(a.at.size());
  OK(rocsparse_sdense2csr(handle, a.rows, a.columns, d, all, a.rows, in_row, value, at, index));
  expect("dense2csr, rows", at, a.at), expect("dense2csr, columns", index, a.column);
  expect("dense2csr, values", value, a.value);

  std::vector<size_t> order(count);
  for (size_t i = 0; i < count; ++i) order[i] = i;
  std::ranges::shuffle(order, random_bits);
  std::vector<int> mixed_row, mixed_column;
  for (const size_t i : order) mixed_row.push_back(row[i]), mixed_column.push_back(a.column[i]);
  int *r = on_device(mixed_row), *c = on_device(mixed_column), *permutation = room<int>(count);
  OK(rocsparse_coosort_buffer_size(handle, a.rows, a.columns, a.count(), r, c, &bytes));
  OK(rocsparse_create_identity_permutation(handle, a.count(), permutation));
  OK(rocsparse_coosort_by_row(handle, a.rows, a.columns, a.count(), r, c, permutation, room<char>(bytes)));
  expect("coosort, rows", r, row), expect("coosort, columns", c, a.column);
}

void solutions(int n) {
  const Csr a = lower_triangle(n);
  const rocsparse_mat_descr d = general(), lower = general();
  OK(rocsparse_set_mat_fill_mode(lower, rocsparse_fill_mode_lower));
  OK(rocsparse_set_mat_diag_type(lower, rocsparse_diag_type_non_unit));
  const auto b = vector_of(n);
  std::vector<double> x;
  for (int r = 0; r < n; ++r) {
    double left = alpha * b[static_cast<size_t>(r)];
    a.each(r, [&](int c, float v) { c < r ? left -= v * x[static_cast<size_t>(c)] : left /= v; });
    x.push_back(left);
  }
  size_t bytes = 0;
  rocsparse_mat_info analysed = info();
  OK(rocsparse_scsrsv_buffer_size(handle, none, n, a.count(), lower, a.d_value, a.d_at, a.d_column, analysed, &bytes));
  char* buffer = room<char>(bytes);
  float *db = on_device(b), *dx = room<float>(static_cast<size_t>(n));
  OK(rocsparse_scsrsv_analysis(handle, none, n, a.count(), lower, a.d_value, a.d_at, a.d_column, analysed,
                               rocsparse_analysis_policy_force, rocsparse_solve_policy_auto, buffer));
  OK(rocsparse_scsrsv_solve(handle, none, n, a.count(), &alpha, lower, a.d_value, a.d_at, a.d_column, analysed, db, dx,
                            rocsparse_solve_policy_auto, buffer));
  expect("csrsv", dx, x, 1e-4);

  analysed = info();
  OK(rocsparse_scsrsm_buffer_size(handle, none, none, n, 1, a.count(), &alpha, lower, a.d_value, a.d_at, a.d_column, db,
                                  n, analysed, rocsparse_solve_policy_auto, &bytes));
  buffer = room<char>(bytes);
  OK(rocsparse_scsrsm_analysis(handle, none, none, n, 1, a.count(), &alpha, lower, a.d_value, a.d_at, a.d_column, db, n,
                               analysed, rocsparse_analysis_policy_force, rocsparse_solve_policy_auto, buffer));
  OK(rocsparse_scsrsm_solve(handle, none, none, n, 1, a.count(), &alpha, lower, a.d_value, a.d_at, a.d_column, db, n,
                            analysed, rocsparse_solve_policy_auto, buffer));
  expect("csrsm", db, x, 1e-4);

  Csr full{n, n};
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < n; ++c)
      if (r == c || random_bits() % 15 == 0) full.put(c, r == c ? 8 + any() : any());
    full.end_row();
  }
  full.copy();
  std::vector<std::map<int, double>> lu(static_cast<size_t>(n));
  std::vector<double> factors;
  for (int r = 0; r < n; ++r) {
    auto& row = lu[static_cast<size_t>(r)];
    full.each(r, [&](int c, float v) { row[c] = v; });
    for (auto& [k, v] : row) {
      if (k >= r) break;
      v /= lu[static_cast<size_t>(k)][k];
      for (const auto& [c, u] : lu[static_cast<size_t>(k)])
        if (c > k && row.contains(c)) row[c] -= v * u;
    }
    for (const auto& [c, v] : row) factors.push_back(v);
  }
  analysed = info();
  OK(rocsparse_scsrilu0_buffer_size(handle, n, full.count(), d, full.d_value, full.d_at, full.d_column, analysed,
                                    &bytes));
  buffer = room<char>(bytes);
  OK(rocsparse_scsrilu0_analysis(handle, n, full.count(), d, full.d_value, full.d_at, full.d_column, analysed,
                                 rocsparse_analysis_policy_reuse, rocsparse_solve_policy_auto, buffer));
  OK(rocsparse_scsrilu0(handle, n, full.count(), d, full.d_value, full.d_at, full.d_column, analysed,
                        rocsparse_solve_policy_auto, buffer));
  expect("csrilu0", full.d_value, factors, 1e-4);
}

void sparse_product(const Csr& a, const Csr& b) {
  const rocsparse_mat_descr d = general();
  const rocsparse_mat_info analysed = info();
  Csr c{a.rows, b.columns};
  for (int r = 0; r < a.rows; ++r) {
    std::map<int, double> row;
    a.each(r, [&](int k, float v) { b.each(k, [&](int i, float w) { row[i] += double{v} * w; }); });
    for (const auto& [i, v] : row) c.put(i, static_cast<float>(alpha * v));
    c.end_row();
  }
  size_t bytes = 0;
  OK(rocsparse_scsrgemm_buffer_size(handle, none, none, a.rows, b.columns, a.columns, &alpha, d, a.count(), a.d_at,
                                    a.d_column, d, b.count(), b.d_at, b.d_column, nullptr, nullptr, 0, nullptr, nullptr,
                                    analysed, &bytes));
  char* buffer = room<char>(bytes);
  int *at = room<int>(c.at.size()), count = 0;
  OK(rocsparse_csrgemm_nnz(handle, none, none, a.rows, b.columns, a.columns, d, a.count(), a.d_at, a.d_column, d,
                           b.count(), b.d_at, b.d_column, nullptr, 0, nullptr, nullptr, d, at, &count, analysed,
                           buffer));
  if (count != c.count()) std::printf("WRONG csrgemm: %d elements of %d\n", count, c.count()), ++wrong;
  int* column = room<int>(static_cast<size_t>(count));
  float* value = room<float>(static_cast<size_t>(count));
  OK(rocsparse_scsrgemm(handle, none, none, a.rows, b.columns, a.columns, &alpha, d, a.count(), a.d_value, a.d_at,
                        a.d_column, d, b.count(), b.d_value, b.d_at, b.d_column, nullptr, nullptr, 0, nullptr, nullptr,
                        nullptr, d, value, at, column, analysed, buffer));
  if (count != c.count()) return;
  expect("csrgemm, rows", at, c.at), expect("csrgemm, columns", column, c.column);
  expect("csrgemm, values", value, c.value, 1e-5);
}

void of_vectors(int n) {
  const int count = n / 2;
  const auto x = vector_of(count), y = vector_of(n);
  std::vector<int> at;
  std::vector<float> gathered, sum = y;
  double dot = 0;
  for (int i = 0; i < count; ++i) {
    at.push_back(2 * i + 1);
    gathered.push_back(y[static_cast<size_t>(at.back())]);
    dot += double{x[static_cast<size_t>(i)]} * gathered.back();
    sum[static_cast<size_t>(at.back())] += alpha * x[static_cast<size_t>(i)];
  }
  float *dx = on_device(x), *dy = on_device(y), *result = room<float>(static_cast<size_t>(count));
  const int* d_at = on_device(at);
  OK(rocsparse_sgthr(handle, count, dy, result, d_at, rocsparse_index_base_zero));
  expect("gthr", result, gathered);
  float product = 0;
  OK(rocsparse_sdoti(handle, count, dx, d_at, dy, &product, rocsparse_index_base_zero));
  expect("doti", on_device(std::vector{product}), std::vector{dot}, 1e-5);
  OK(rocsparse_saxpyi(handle, count, &alpha, dx, d_at, dy, rocsparse_index_base_zero));
  expect("axpyi", dy, sum, 1e-6);
}

}  // namespace

int main() {
  OK(rocsparse_create_handle(&handle));
  const Csr a = matrix(301, 257);
  products(a), conversions(a), solutions(200), sparse_product(a, matrix(257, 60)), of_vectors(257);
  std::printf("%d right, %d wrong\n", right, wrong);
  return wrong != 0;
}
