// Resolving: nodes to chains.
//
// finish() walks the graph once: aliases of aliases are shortened to their end, and every node
// that leads into a cycle or to an alias that does not exist is marked broken, so that resolve()
// may follow edges blindly. A fused location is several ways through the graph, so the number of
// ways can grow exponentially: a line's ways are capped, and all steps come out of one budget.

#include "ir/mlir_locations.h"

namespace ks::ir {

uint32_t LocationTable::target(const Node& reference) const { return alias_nodes_[reference.a]; }

// The step-th child of a node, or kNone after the last. For a fused location `step` is the
// previous child + 1 (0 at first): its children are a list.
uint32_t LocationTable::child(uint32_t node, uint32_t step) const {
  const Node& n = nodes_[node];
  switch (n.kind) {
    case Kind::name:
      return step == 0 ? n.b : kNone;
    case Kind::reference:
      return step == 0 ? target(n) : kNone;
    case Kind::callsite:
      return step == 0 ? n.a : step == 1 ? n.b : kNone;
    case Kind::fused:
      return step == 0 ? n.a : nodes_[step - 1].next;
    case Kind::file:
    case Kind::unknown:
      return kNone;
  }
  return kNone;
}

void LocationTable::leave(uint32_t node) {
  Node& n = nodes_[node];
  n.visit = Visit::done;
  if (n.kind == Kind::name && n.b != kNone) n.broken |= nodes_[n.b].broken;
  if (n.kind == Kind::callsite) n.broken |= nodes_[n.a].broken || nodes_[n.b].broken;
  if (n.kind == Kind::reference) {
    uint32_t to = target(n);
    n.broken |= to == kNone || nodes_[to].broken;
    if (!n.broken && nodes_[to].kind == Kind::reference) n.a = nodes_[to].a;
  }
}

void LocationTable::visit(uint32_t root) {
  path_.assign(1, {root, 0});
  nodes_[root].visit = Visit::open;
  while (!path_.empty()) {
    auto [node, step] = path_.back();
    uint32_t next = child(node, step);
    if (next == kNone) {
      leave(node);
      path_.pop_back();
      continue;
    }
    path_.back().step = nodes_[node].kind == Kind::fused ? next + 1 : step + 1;
    if (nodes_[next].visit == Visit::open) {
      nodes_[node].broken = true;
    } else if (nodes_[next].visit == Visit::no) {
      nodes_[next].visit = Visit::open;
      path_.push_back({next, 0});
    }
  }
}

void LocationTable::finish() {
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    Node& n = nodes_[i];
    if (n.kind == Kind::file || n.kind == Kind::unknown) {
      n.visit = Visit::done;
    } else if (n.visit == Visit::no) {
      visit(i);
    }
  }
  memo_.resize(alias_nodes_.size());
}

void LocationTable::emit(uint32_t function, uint32_t name) {
  Frame& outermost = frames_.back();
  if (frames_.size() <= kMaxFramesPerChain) outermost.function = function;
  uint32_t chain = builder_.chain(frames_, name);
  outermost.function = 0;  // the frame may be shared with ways that go on
  if (chain != MapBuilder::kNoChain) chains_.push_back(chain);
}

// Follows one way to its end; ways that branch off are put on ways_. False: the budget is spent.
bool LocationTable::walk(Pending way, uint32_t function) {
  frames_.resize(way.frames);
  bool outermost_known = false;
  for (uint32_t node = way.node; node != kNone;) {
    if (steps_left_ == 0) return false;
    --steps_left_;
    const Node& n = nodes_[node];
    if (n.broken) {
      builder_.not_understood();
      return true;
    }
    node = kNone;
    switch (n.kind) {
      case Kind::file:
        // One more than allowed, so that the builder sees and counts the cut.
        if (frames_.size() <= kMaxFramesPerChain) frames_.push_back({n.a, n.b, n.c, 0});
        outermost_known = n.b != 0;
        break;
      case Kind::unknown:
        outermost_known = false;
        break;
      case Kind::name:
        if (way.name == 0) way.name = n.a;
        if (n.b == kNone) outermost_known = false;
        node = n.b;
        break;
      case Kind::reference:
        node = target(n);
        break;
      case Kind::callsite:
        rests_.push_back({n.b, way.rest});
        way.rest = static_cast<uint32_t>(rests_.size() - 1);
        node = n.a;
        break;
      case Kind::fused:
        node = n.a;
        if (nodes_[node].next != kNone) {
          ways_.push_back({nodes_[node].next, way.rest, frames_.size(), way.name});
        }
        break;
    }
    if (node == kNone && way.rest != kNone) {
      node = rests_[way.rest].node;
      way.rest = rests_[way.rest].next;
    }
  }
  if (!frames_.empty() && frames_.front().line != 0) {
    emit(outermost_known ? function : 0, way.name);
  } else {
    unknown_ = true;
  }
  return true;
}

void LocationTable::expand(uint32_t root, uint32_t function) {
  chains_.clear();
  rests_.clear();
  ways_.assign(1, {root, kNone, 0, 0});
  unknown_ = false;
  for (bool is_root = true; !ways_.empty(); is_root = false) {
    Pending way = ways_.back();
    ways_.pop_back();
    if (chains_.size() == kMaxChainsPerLine) {
      builder_.not_understood();
      return;
    }
    uint32_t sibling = is_root ? kNone : nodes_[way.node].next;
    if (sibling != kNone) ways_.push_back({sibling, way.rest, way.frames, way.name});
    if (!walk(way, function)) {
      builder_.not_understood();
      return;
    }
  }
}

LocationTable::Resolved LocationTable::resolve(uint32_t location, uint32_t function) {
  if (location == kNone) return {};
  if (function != function_) {
    function_ = function;
    ++epoch_;
  }
  const Node& n = nodes_[location];
  if (n.kind != Kind::reference || n.broken) {
    expand(location, function);
    return {chains_, chains_.empty() && unknown_};
  }
  Memo& memo = memo_[n.a];
  if (memo.epoch != epoch_) {
    expand(location, function);
    memo = {epoch_, static_cast<uint32_t>(memo_chains_.size()),
            static_cast<uint32_t>(chains_.size()), chains_.empty() && unknown_};
    memo_chains_.insert(memo_chains_.end(), chains_.begin(), chains_.end());
  }
  return {{memo_chains_.data() + memo.first, memo.count}, memo.unknown};
}

}  // namespace ks::ir
