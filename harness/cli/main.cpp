#include "cli/commands.h"

int main(int argc, char** argv) {
  return mpsgate::run_command_line({argv + 1, argv + argc});
}
