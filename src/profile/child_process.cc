#include "profile/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

extern char** environ;

namespace ks::profile {
namespace {

// Descriptors of ours that a child gets are moved above those numbers that they get there, so that
// no dup2 overwrites a source that is still needed (our own stdin may be closed).
constexpr int kAboveChildFds = 10;
constexpr size_t kReadAtOnce = 64 << 10;
constexpr int kReadsPerTurn = 16;  // one that prints without end must not keep us from the others
constexpr int kReapWait_ms = 2000;

Fd move_up(int fd) {
  Fd low(fd);
  return Fd(fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, kAboveChildFds));
}

void do_not_block(const Fd& fd) { fcntl(fd.get(), F_SETFL, O_NONBLOCK); }

struct Ends {
  Fd ours, theirs;
  bool good() const { return ours && theirs; }
};

Ends make_pipe() {
  int fds[2] = {-1, -1};
  if (pipe2(fds, O_CLOEXEC) != 0) return {};
  Ends ends{move_up(fds[0]), move_up(fds[1])};
  if (ends.good()) do_not_block(ends.ours);
  return ends;
}

Ends make_socket() {
  int fds[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) return {};
  Ends ends{move_up(fds[0]), move_up(fds[1])};
  if (ends.good()) do_not_block(ends.ours);
  return ends;
}

std::string_view variable(std::string_view assignment) {
  return assignment.substr(0, assignment.find('='));
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> environment_with(const std::vector<std::string>& changes) {
  std::vector<std::string> all;
  for (char** entry = environ; entry && *entry; ++entry) {
    const auto same = [entry](const std::string& c) { return variable(c) == variable(*entry); };
    if (std::none_of(changes.begin(), changes.end(), same)) all.emplace_back(*entry);
  }
  all.insert(all.end(), changes.begin(), changes.end());
  return all;
}

// What posix_spawn is told; its C structures need an owner.
class SpawnPlan {
 public:
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    sigset_t set;
    sigemptyset(&set);
    posix_spawnattr_setsigmask(&attributes_, &set);
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM}) sigaddset(&set, signal);
    posix_spawnattr_setsigdefault(&attributes_, &set);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  void give(const Fd& fd, int as) { posix_spawn_file_actions_adddup2(&actions_, fd.get(), as); }
  void close_from(int fd) { posix_spawn_file_actions_addclosefrom_np(&actions_, fd); }
  int run(pid_t& pid, const std::vector<std::string>& argv, const std::vector<std::string>& env) {
    return posix_spawnp(&pid, argv[0].c_str(), &actions_, &attributes_, pointers(argv).data(),
                        pointers(env).data());
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// Length of the valid UTF-8 sequence at the start of `text`; 0: there is none.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const size_t length = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length == 0 || lead > 0xF4 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and what is above U+10FFFF.
  if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F) ||
      (lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F)) {
    return 0;
  }
  return length;
}

}  // namespace

void Fd::reset(int fd) {
  if (fd_ >= 0) close(fd_);
  fd_ = fd;
}

void OutputTail::append(std::string_view bytes) {
  bytes_.append(bytes);
  if (bytes_.size() > 2 * kKept) bytes_.erase(0, bytes_.size() - kKept);
}

std::string_view OutputTail::text() const {
  const std::string_view all = bytes_;
  return all.size() > kKept ? all.substr(all.size() - kKept) : all;
}

std::string OutputTail::last_line() const {
  std::string_view rest = text();
  while (!rest.empty()) {
    const size_t end = rest.find_last_of("\r\n");
    std::string line = one_line(end == std::string_view::npos ? rest : rest.substr(end + 1));
    if (!line.empty()) return line;
    if (end == std::string_view::npos) break;
    rest = rest.substr(0, end);
  }
  return "";
}

std::string one_line(std::string_view text, size_t limit) {
  std::string out;
  while (!text.empty() && out.size() < limit) {
    const size_t length = utf8_length(text);
    const unsigned char lead = static_cast<unsigned char>(text[0]);
    if (length == 0) {
      out += '?';
    } else if (lead > ' ' && lead != 0x7F) {
      if (out.size() + length > limit) break;
      out += text.substr(0, length);
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::string ExitState::text() const {
  if (signal == 0) return fmt::format("exit code {}", code);
  const char* name = sigdescr_np(signal);
  return fmt::format("signal {} ({})", signal, name ? name : "unknown");
}

ChildProcess::ChildProcess(pid_t pid, Fd channel, Fd out, Fd err)
    : pid_(pid), channel_(std::move(channel)), out_(std::move(out)), err_(std::move(err)) {}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      channel_(std::move(other.channel_)),
      out_(std::move(other.out_)),
      err_(std::move(other.err_)),
      out_tail_(std::move(other.out_tail_)),
      err_tail_(std::move(other.err_tail_)),
      exit_(other.exit_) {}

Result<ChildProcess> ChildProcess::spawn(const Options& options) {
  Ends out = make_pipe(), err = make_pipe();
  Ends channel = options.channel ? make_socket() : Ends{};
  if (!out.good() || !err.good() || (options.channel && !channel.good())) {
    return fail(ErrorKind::io,
                fmt::format("cannot start {}: {}", options.argv[0], strerror(errno)));
  }
  SpawnPlan plan;
  plan.give(out.theirs, STDOUT_FILENO);
  plan.give(err.theirs, STDERR_FILENO);
  if (options.channel) plan.give(channel.theirs, kChannel);
  // Whatever a library of ours opened without close-on-exec stays with us.
  plan.close_from(options.channel ? kChannel + 1 : kChannel);
  pid_t pid = -1;
  if (const int error = plan.run(pid, options.argv, environment_with(options.environment))) {
    const bool ours = error == EAGAIN || error == ENOMEM;
    return fail(ours ? ErrorKind::io : ErrorKind::input,
                fmt::format("cannot start {}: {}", options.argv[0], strerror(error)));
  }
  return ChildProcess(pid, std::move(channel.ours), std::move(out.ours), std::move(err.ours));
}

ChildProcess::~ChildProcess() {
  if (pid_ < 0 || exit_) return;
  kill_group();
  // A process stuck in a driver may not die; then the system takes it once it does.
  for (int waited = 0; !reap() && waited < kReapWait_ms; waited += 5) poll(nullptr, 0, 5);
}

void ChildProcess::add_to(std::vector<pollfd>& fds) const {
  for (const Fd* fd : {&channel_, &out_, &err_}) {
    if (*fd) fds.push_back({fd->get(), POLLIN, 0});
  }
}

void ChildProcess::drain(Fd& from, OutputTail& into) {
  char buffer[kReadAtOnce];
  for (int turn = 0; from && turn < kReadsPerTurn; ++turn) {
    const ssize_t n = read(from.get(), buffer, sizeof buffer);
    if (n > 0) {
      into.append({buffer, static_cast<size_t>(n)});
    } else if (n < 0 && errno == EINTR) {
      continue;
    } else {
      if (n == 0 || errno != EAGAIN) from.reset();  // at its end poll() would return at once
      return;
    }
  }
}

void ChildProcess::read_output() {
  drain(out_, out_tail_);
  drain(err_, err_tail_);
}

std::string ChildProcess::last_words() const {
  std::string line = err_tail_.last_line();
  return line.empty() ? out_tail_.last_line() : line;
}

void ChildProcess::kill_group() {
  if (pid_ > 0 && !exit_) kill(-pid_, SIGKILL);
}

std::optional<ExitState> ChildProcess::reap() {
  if (exit_ || pid_ < 0) return exit_;
  siginfo_t info{};
  // Looked at first, taken after: until then the number of the group cannot be another's.
  if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid != pid_) {
    return std::nullopt;
  }
  kill_group();
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  exit_ = WIFSIGNALED(status) ? ExitState{0, WTERMSIG(status)} : ExitState{WEXITSTATUS(status), 0};
  return exit_;
}

int poll_milliseconds(double seconds, int cap) {
  return static_cast<int>(std::clamp(seconds * 1000 + 1, 0.0, static_cast<double>(cap)));
}

}  // namespace ks::profile
