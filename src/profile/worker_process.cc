#include "profile/worker_process.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace ks::profile {

Result<WorkerProcess> WorkerProcess::start(const PoolOptions& options, const std::string& gpu) {
  ChildProcess::Options child;
  child.argv = {options.python, options.worker, "--backend", options.backend};
  if (!options.collector.empty()) {
    child.argv.insert(child.argv.end(), {"--collector", options.collector});
  }
  if (!gpu.empty()) child.environment.push_back("CUDA_VISIBLE_DEVICES=" + gpu);
  child.channel = true;
  Result<ChildProcess> process = ChildProcess::spawn(child);
  if (!process) return tl::make_unexpected(process.error());
  return WorkerProcess(std::move(*process));
}

bool WorkerProcess::send(const std::string& line) {
  // A request is far smaller than the socket's buffer, which is empty when a worker is idle; one
  // that does not fit is from a worker that does not read.
  const ssize_t n = ::send(process_.channel(), line.data(), line.size(), MSG_NOSIGNAL);
  return n == static_cast<ssize_t>(line.size());
}

void WorkerProcess::receive() {
  process_.read_output();
  char buffer[64 << 10];
  while (!closed_ && !lines_.flooded()) {
    const ssize_t n = recv(process_.channel(), buffer, sizeof buffer, 0);
    if (n > 0) {
      lines_.append({buffer, static_cast<size_t>(n)});
    } else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
      closed_ = true;
    } else if (errno == EAGAIN) {
      return;
    }
  }
}

Result<std::optional<Reply>> WorkerProcess::next_reply() {
  const std::optional<std::string> line = lines_.next();
  if (!line && lines_.flooded()) return fail(ErrorKind::limit, "a line without end");
  if (!line) return std::nullopt;
  Result<Reply> reply = read_reply(*line);
  if (reply) return std::optional<Reply>(std::move(*reply));
  return with_context(reply.error(), fmt::format("\"{}\"", one_line(*line, 80)));
}

void WorkerProcess::add_to(std::vector<pollfd>& fds) const {
  const size_t first = fds.size();
  process_.add_to(fds);
  // At its end a socket is always readable.
  const auto ended = [&](const pollfd& fd) { return closed_ && fd.fd == process_.channel(); };
  fds.erase(std::remove_if(fds.begin() + static_cast<std::ptrdiff_t>(first), fds.end(), ended),
            fds.end());
}

}  // namespace ks::profile
