"""What is said of comments that suppress nothing, and how that is chosen."""

from lint import Linting


class Comments(Linting):
    def test_a_comment_that_names_no_rule(self):
        text = "void f();  // kadvise: ignore[cuda/removed-apis]\nvoid g();  // kadvise: ignore[cuda/uncoalesced-access]\n"
        self.write("ok.cu", text)
        out, _ = self.lint("--output-format", "concise", "--select", "cuda/removed-api", "ok.cu")
        self.assertIn("ok.cu:1:1: note: no rule is called cuda/removed-apis: did you mean cuda/removed-api?", out)
        self.assertEqual(out.count("\n"), 1, out)  # the other rule exists, and did not run

    def test_what_is_said_of_comments_is_chosen_like_a_rule(self):
        unused = "lint/unused-suppression"
        self.write("ok.cu", "int x;  // kadvise: ignore[cuda/removed-api]\nvoid f() { cudaThreadSynchronize(); }\n")
        everything = sorted(["cuda/removed-api", unused])
        self.assertEqual(sorted(self.rules("ok.cu", code=1)), everything)
        self.assertEqual(self.rules("--ignore", unused, "ok.cu", code=1), ["cuda/removed-api"])
        self.assertEqual(self.rules("--ignore", "lint", "ok.cu", code=1), ["cuda/removed-api"])
        self.assertEqual(self.rules("--select", unused, "ok.cu"), [unused])
        self.assertEqual(sorted(self.rules("--select", f"cuda/removed-api,{unused}", "ok.cu", code=1)), everything)
        self.assertEqual(self.rules("--select", unused, "--fail-on", "note", "ok.cu", code=1), [unused])
        for text in (f'ignore = ["{unused}"]\n', f'[severity]\n"{unused}" = "off"\n',
                     f'[per-path-ignores]\n"*.cu" = ["{unused}"]\n'):
            with self.subTest(text):
                self.write("kadvise.toml", text)
                self.assertEqual(self.rules("ok.cu", code=1), ["cuda/removed-api"])
