#include "cli/interrupt.h"

#include <unistd.h>

#include <csignal>

#include "store/run_file.h"

namespace ks::cli {
namespace {

std::atomic<bool> interrupted{false};

void on_signal(int) {
  if (!interrupted.exchange(true)) return;
  store::remove_unfinished_run_file();
  _exit(130);
}

}  // namespace

Interrupts::Interrupts() {
  interrupted = false;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

Interrupts::~Interrupts() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

const std::atomic<bool>* Interrupts::flag() const { return &interrupted; }

}  // namespace ks::cli
