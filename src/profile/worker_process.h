#pragma once
// One resident worker as the pool sees it: requests go in, replies come out. It never blocks.

#include <string>
#include <vector>

#include "profile/child_process.h"
#include "profile/pool.h"
#include "profile/worker_protocol.h"

namespace ks::profile {

class WorkerProcess {
 public:
  // `gpu`: for CUDA_VISIBLE_DEVICES; empty: what the environment says.
  static Result<WorkerProcess> start(const PoolOptions& options, const std::string& gpu);

  // False: it does not listen any more.
  bool send(const std::string& line);
  // Takes what has arrived on all its descriptors. Lines are then had one by one.
  void receive();
  // Nothing: no whole line is there. The error: it does not keep to the protocol.
  Result<std::optional<Reply>> next_reply();

  bool closed() const { return closed_; }  // it has closed its end; lines may still be there
  ChildProcess& process() { return process_; }
  const ChildProcess& process() const { return process_; }
  void add_to(std::vector<pollfd>& fds) const;

 private:
  explicit WorkerProcess(ChildProcess process) : process_(std::move(process)) {}

  ChildProcess process_;
  LineBuffer lines_;
  bool closed_ = false;
};

}  // namespace ks::profile
