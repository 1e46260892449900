#pragma once

namespace mpsgate {

/// SIGINT, SIGTERM and SIGHUP as a flag that loops can ask for. The first stops cleanly: the child under way
/// is ended, reports are written. The second leaves at once with 128 + signal.
class Interrupt {
 public:
  /// Installs the handlers, once a process.
  static void install();
  /// The first signal received, 0 if none.
  static int signal();
  /// Readable as soon as a signal has come: for poll(). -1 before install().
  static int descriptor();
  /// For tests.
  static void reset();
};

}  // namespace mpsgate
