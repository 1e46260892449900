"""What a lab prints can neither act as a workflow command nor change a report."""

import re
import xml.etree.ElementTree

import harness


class Injection(harness.Cli):
    def test_no_output_acts(self):
        summary = self.folder / "summary.md"
        summary.write_text("before\n")
        completed = self.rehearse("injects", env={"GITHUB_STEP_SUMMARY": str(summary), "GITHUB_ACTIONS": "true", "CI": "true"})
        self.assertEqual(completed.returncode, 1)
        for line in (completed.stdout + completed.stderr).splitlines():
            # Runner: a line that begins, after blanks, with "::", or holds "##[" anywhere.
            self.assertFalse(line.lstrip().startswith("::"), line)
            self.assertNotIn("##[", line)
            self.assertNotIn("\x1b", line)
            self.assertNotIn("\x00", line)
        self.assertIn("pwned by the lab", completed.stdout)
        text = summary.read_text()
        self.assertTrue(text.startswith("before\n"))
        self.assertIn("abort", text)
        self.assertFalse(re.search(r"^\s*::", text, re.MULTILINE))
        # Outside of fenced code nothing is markup, mentions a person or closes what the report opened.
        prose = re.sub(r"^(`{3,})text\n.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
        self.assertNotIn("<script>", prose)
        self.assertNotIn("@octocat", prose)
        self.assertIn("## Steps", prose)

    def test_the_xml_is_well_formed(self):
        self.rehearse("injects")
        for name in ("junit.xml", "junit-strict.xml"):
            root = xml.etree.ElementTree.parse(self.run_folder() / name).getroot()
            self.assertEqual(len(root.findall(".//testcase[@name='verdict']")), 1)
            for element in root.iter():
                if element.tag in ("failure", "error", "skipped"):
                    self.assertTrue((element.text or "").strip(), "a self-closed result is read as passed")


if __name__ == "__main__":
    harness.main()
