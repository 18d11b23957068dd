#include "tools/agreement.h"

namespace wavesmith::tools {
void ordinary_agreement(const AgreementSources&, const Report&, const Missing&) {}
}  // namespace wavesmith::tools
