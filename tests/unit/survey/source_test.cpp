#include "survey/python_file.h"
#include "survey/yaml_text.h"

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

TEST(PythonSource, TellsCodeFromStringsAndComments) {
  const PythonSource source("a = 'x(' # (\n'''b\n(c'''\nf(\"d\\\"(\", [1, 2], key='v,w')\n");
  EXPECT_EQ(source.code().size(), source.text().size());
  EXPECT_EQ(source.strings().size(), 4u);
  EXPECT_EQ(source.strings()[1].text, "b\n(c");
  const auto calls = source.calls("f");
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].line, 4);
  ASSERT_EQ(calls[0].words.size(), 2u);
  EXPECT_EQ(string_literal(calls[0].words[0]), "d\\\"(");
  EXPECT_EQ(calls[0].words[1], "[1, 2]");
  EXPECT_EQ(calls[0].named.at("key"), "'v,w'");
}

TEST(PythonSource, TakesAnyBytes) {
  for (const char* text :
       {"", "'", "'''", "\"\\", "f(", "f((((", ")))f(]", "#", "f('\n", "'''\\", "x = f(a=, =b, ==)"}) {
    const PythonSource source(text);
    (void)source.calls("f");
    (void)read_python("x.py", text);
    EXPECT_EQ(source.code().size(), source.text().size()) << text;
  }
}

TEST(PythonFile, ReadsOptionsOfArgparse) {
  const auto file = read_python("predict.py", R"(
import argparse, torch
from .model import Net
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("input", help="a folder"
                                      " of clips")
    parser.add_argument("more", nargs="*")
    parser.add_argument("-o", "--output-dir", default="results")
    parser.add_argument("--size", required=True, choices=["big", "small"])
    parser.add_argument("--fast", action="store_true")
    args = parser.parse_args()
    os.makedirs(args.output_dir)
    np.save(os.path.join(args.output_dir, "scores.npy"), x)
    y = x.to("cuda:0") if torch.cuda.is_available() else x
if __name__ == "__main__":
    main()
)");
  EXPECT_TRUE(file.guarded);
  EXPECT_FALSE(file.started);
  EXPECT_EQ(file.parser, "argparse");
  ASSERT_EQ(file.options.size(), 5u);
  EXPECT_TRUE(file.options[0].positional && file.options[0].required);
  EXPECT_EQ(file.options[0].help, "a folder of clips");
  EXPECT_EQ(file.options[0].line, 6);
  EXPECT_FALSE(file.options[1].required);
  EXPECT_EQ(file.options[2].flag, "--output-dir");
  EXPECT_TRUE(file.options[2].short_o);
  EXPECT_EQ(file.options[2].use, ScriptOption::Use::folder);
  EXPECT_TRUE(file.options[3].required);
  EXPECT_EQ(file.options[3].choices, (std::vector<std::string>{"big", "small"}));
  EXPECT_FALSE(file.options[4].takes_value);
  ASSERT_EQ(file.written.size(), 1u);
  EXPECT_EQ(file.written[0].name, "scores.npy");
  EXPECT_EQ(file.cuda, std::vector<int>{15});
  EXPECT_EQ(file.imports, (std::vector<std::string>{"argparse", ".model"}));
}

TEST(PythonFile, ReadsOptionsOfClick) {
  const auto file = read_python("run.py", R"(
@click.command()
@click.option("--device", default="cpu")
@click.option("--out", required=True)
@click.option("--loud/--quiet", is_flag=True)
@click.argument("clips", nargs=-1)
def main(device, out, loud, clips): pass
if __name__ == '__main__': main()
)");
  ASSERT_EQ(file.options.size(), 4u);
  EXPECT_EQ(file.parser, "click");
  EXPECT_TRUE(file.options[1].required);
  EXPECT_EQ(file.options[2].flag, "--loud");
  EXPECT_FALSE(file.options[2].takes_value);
  EXPECT_FALSE(file.options[3].required);
}

TEST(PythonFile, AScriptWithoutGuardParsesAtTheTop) {
  EXPECT_TRUE(read_python("a.py", "arguments = parser.parse_args()\n").script());
  EXPECT_TRUE(read_python("a.py", "args = argparse.ArgumentParser().parse_args()\n").script());
  EXPECT_FALSE(read_python("a.py", "def f():\n    return parser.parse_args()\n").script());
  EXPECT_FALSE(read_python("a.py", "# if __name__ == '__main__':\n").script());
}

TEST(YamlText, IsPlainWhereThatIsSafe) {
  EXPECT_EQ(yaml_text("predict.py"), "predict.py");
  EXPECT_EQ(yaml_text("--out"), "--out");
  EXPECT_EQ(yaml_text("https://example.org/lab/tones"), "https://example.org/lab/tones");
  EXPECT_EQ(yaml_text("git@example.org:lab/tones"), "git@example.org:lab/tones");
  for (const char* text : {"", "-", "a: b #.py", "null", "True", "1e3", "0x1f", "{x}", "a, b", " a", "a\nb",
                           "'", "é", "https://h:", "- a"})
    EXPECT_EQ(yaml_text(text).front(), '"') << text;
  EXPECT_EQ(yaml_text("a\"\\\n\x1b"), "\"a\\\"\\\\\\x0a\\x1b\"");
}

TEST(YamlText, CommandsKeepTheirWords) {
  EXPECT_EQ(yaml_command({"python", "a.py", "{device_args}", "{out}/x"}),
            "python a.py {device_args} {out}/x");
  EXPECT_EQ(yaml_command({"python", "a b.py", "{out}"}), "[python, \"a b.py\", \"{out}\"]");
  EXPECT_EQ(literal_word("{x}.py"), "{{x}}.py");
}

TEST(YamlText, CommentsNeverBreakOut) {
  EXPECT_EQ(yaml_comment(2, {"a\nb: c\r\nd"}), "  # a b: c d\n");
  EXPECT_EQ(yaml_comment(0, {"one two three", "", "  keep this line whole"}, 9),
            "# one two\n# three\n#\n#   keep this line whole\n");
}

}  // namespace
}  // namespace mpsgate
