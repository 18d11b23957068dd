// Options::late: what memory operations bring lands as late as their waits allow. The operations themselves are done
// when they are issued, so that memory is read and written in the order of issue whatever the waits are; but registers
// that loads write, and LDS that loads from memory or LDS stores write, get their former contents back until a wait (or
// a full counter) completes the operation. A program that waits sees no difference, one that does not sees what was
// there before. What has to come earlier: a wave's own LDS operations stay in order, so its stores land before it reads
// LDS; FLAT stores land at once.
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
  };  // together numbered; of a scalar the first one counts
  struct Bytes {
    uint32_t address, count;
    std::array<uint8_t, 16> value;
  };  // of LDS
  struct Operation {
    uint32_t id;
    uint64_t turn, lanes;
    bool lds_store;
    std::vector<Row> rows;
    std::vector<Bytes> lds;
  };  // id: Pending's
  std::vector<Operation> operations;  // not completed, in the order of issue
  std::vector<uint32_t> completed;    // ids, in order, since the last `land`
  uint64_t turn = 0;                  // of the wave
  // Of the step being done: what its registers held, and the LDS that it has written.
  std::vector<Row> registers;
  std::vector<Bytes> lds;
};

void before_operation(Wave&, const Step&);       // a step that moves a counter is about to be done
void put_back(Wave&, const Step&, uint32_t id);  // it has been, and `id` was the newest operation before
void land(Wave&);                                // what has been completed
void land_lds(Wave&);   // all that is to be written to LDS: what the wave signals comes behind it
void land_all(Wave&);   // the wave ends
void next_turn(Wave&);  // other waves may poll LDS for what this one never waits for: after many turns it lands

}  // namespace wavesmith::sim
