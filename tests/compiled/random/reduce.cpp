// Makes a failing program smaller: delta debugging over its tree, coarse pieces first, until nothing more can go.
#include <algorithm>

#include "tests/compiled/random/program.h"

namespace wavesmith::random {

namespace {

struct Reducer {
  RandomProgram best;
  const std::function<bool(const RandomProgram&)>& fails;
  bool changed = false;

  // Keeps what `change` does to the node at `place` if the program still fails.
  template <class F>
  bool attempt(const std::vector<size_t>& place, F&& change) {
    RandomProgram p = best;
    Piece* n = &p.body;
    for (const size_t i : place) n = &n->children[i];
    if (!change(*n) || size(p.body) > size(best.body) || print(p.body) == print(best.body) || !fails(p)) return false;
    best = std::move(p);
    return changed = true;
  }
  const Piece& at(const std::vector<size_t>& place) const {
    const Piece* n = &best.body;
    for (const size_t i : place) n = &n->children[i];
    return *n;
  }

  void shorten(const std::vector<size_t>& place) {  // a list: halves, quarters, ... single entries, from the end
    for (size_t step = std::max<size_t>(1, at(place).children.size() / 2); step > 0; step /= 2)
      for (size_t end = at(place).children.size(); end > 0;) {
        const size_t from = end > step ? end - step : 0;
        attempt(place, [&](Piece& n) {
          return n.children.erase(n.children.begin() + static_cast<long>(from),
                                  n.children.begin() + static_cast<long>(end)),
                 true;
        });
        end = from;
      }
  }
  void simplify(const std::vector<size_t>& place) {
    if (at(place).kind == Piece::Kind::statement) {  // by its bodies
      for (size_t i = 0; i < at(place).children.size(); ++i)
        if (at(place).children[i].kind == Piece::Kind::list &&
            attempt(place, [&](Piece& n) { return n = Piece(n.children[i]), true; }))
          return;
    }
    if (at(place).kind == Piece::Kind::expression && at(place).type.scalar != Scalar::none &&
        !at(place).children.empty()) {
      const std::string type = at(place).type.name();
      for (const char* constant : {"0", "1", "3"})
        if (attempt(place,
                    [&](Piece& n) { return n.children.clear(), n.text = "((" + type + ")(" + constant + "))", true; }))
          return;
      for (size_t i = 0; i < at(place).children.size(); ++i)
        if (at(place).children[i].kind == Piece::Kind::expression && at(place).children[i].type == at(place).type &&
            attempt(place, [&](Piece& n) { return n = Piece(n.children[i]), true; }))
          return simplify(place);
    }
  }
  void walk(std::vector<size_t> place) {
    if (at(place).kind == Piece::Kind::list) shorten(place);
    else simplify(place);
    for (size_t i = 0; i < at(place).children.size(); ++i) {
      place.push_back(i);
      walk(place);
      place.pop_back();
    }
  }
};

}  // namespace

RandomProgram reduce(RandomProgram p, const std::function<bool(const RandomProgram&)>& fails) {
  Reducer r{std::move(p), fails};
  do r.changed = false, r.walk({});
  while (r.changed);
  return r.best;
}

}  // namespace wavesmith::random
