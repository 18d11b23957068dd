// Completion orders other than "at once".
// Options::late: memory operations complete as late as their waits allow. Operations execute when they are issued, so
// memory is read and written in issue order; but registers that loads write, and LDS that loads from memory or LDS
// stores write, keep their old contents until a wait (or a full counter) completes the operation. A program with
// sufficient waits sees no difference; one without them reads the old contents. Exceptions: a wave's own LDS operations
// stay in order, so its stores complete before it reads LDS; FLAT stores complete at once.
// Options::late_lds: a wave's LDS reads and stores execute as late as their waits allow, in their order, from the
// registers as they were at issue. All other memory operations complete at once (or late, if that is set as well).
// Reads then see what other waves have written since their issue. LDS atomics, FLAT and operations from LDS to memory
// execute after the wave's earlier LDS operations.
// Options::replay: where accesses may be replayed (gfx1250, XNACK), a load or store executes a second time as soon as
// an instruction writes one of its sources while its address may not be translated: with the new registers, and what
// they hold by then. Atomics do not, since parts of them would count twice.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace wavesmith::sim {

struct Wave;
struct Step;

struct Late {
  struct Row {
    int reg;
    std::array<uint32_t, 64> lanes;
  };  // in joint numbering; for a scalar the first one counts
  struct Bytes {
    uint32_t address, count;
    std::array<uint8_t, 16> value;
  };  // of LDS
  struct Operation {
    uint32_t id;
    uint64_t turn, issued, lanes;  // issued: the wave's instructions so far
    bool lds_store;
    std::vector<Row> rows;
    std::vector<Bytes> lds;
    const Step* step = nullptr;  // to execute; `rows` are then its sources, otherwise results
  };  // id: Pending's
  std::vector<Operation> operations;  // not completed, in issue order
  std::vector<uint32_t> completed;    // ids, in order, since the last `land`
  uint64_t turn = 0;                  // of the wave
  // For the step being executed: the old contents of its registers, and the LDS that it has written.
  std::vector<Row> registers;
  std::vector<Bytes> lds;
};

void before_operation(Wave&, const Step&);       // a step that increments a counter is about to execute
void put_back(Wave&, const Step&, uint32_t id);  // it has executed, and `id` was the newest operation before it
void land(Wave&);                                // completes finished operations
void land_lds(Wave&);                            // all pending LDS writes: they complete before the wave's next signal
void land_all(Wave&);                            // the wave ends
void replay(Wave&, const Step& again);           // an access once more, unchecked
void next_turn(Wave&);  // other waves may poll LDS for what this one never waits for: it completes after many turns

}  // namespace wavesmith::sim
