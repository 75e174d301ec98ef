"""What a project says to lint in kadvise.toml, and what lint says of files that it could not read in full."""

from lint import Linting


class Projects(Linting):
    def test_a_selection_for_modules_leaves_lint_on(self):
        self.write("kadvise.toml", 'select = ["fusion", "graph-break"]\n')
        self.assertIn("cuda/removed-api", self.rules(code=1))
        self.write("kadvise.toml", 'select = ["fusion", "cuda/removed-api"]\n')
        self.assertEqual(set(self.rules(code=1)), {"cuda/removed-api"})

    def test_a_file_that_does_not_parse_is_named(self):
        self.write("torn.cu", "__global__ void k(float* x) { x[0] = ; }\n")
        out, _ = self.lint("torn.cu", code=0)
        self.assertIn("torn.cu:1: ", out)
        out, err = self.lint("--output-format", "concise", "torn.cu", code=0)
        self.assertEqual(out, "")
        self.assertIn("torn.cu:1: ", err)

    def test_a_header_of_the_systems_name_is_the_projects(self):
        self.write("include/error.h", "#define CHECKED(call) (void)(call)\n")
        self.write("src/a.cu", "#include <error.h>\nvoid run(float* x) { CHECKED(cudaMemset(x, 0, 4)); }\n")
        out, err = self.lint("src/a.cu", code=0)
        self.assertNotIn("a.cu:2: ", out + err)

    def test_thrust_is_in_the_namespace_that_cmake_wraps_it_in(self):
        self.write("src/b.cu", "#include <thrust/sort.h>\nvoid run(int* x) { mine::thrust::sort(x, x + 3); }\n")
        out, err = self.lint("src/b.cu", code=0)
        self.assertIn("b.cu:2: ", out + err)
        self.write("CMakeLists.txt", "add_definitions(-DTHRUST_CUB_WRAPPED_NAMESPACE=mine)\n")
        out, err = self.lint("src/b.cu", code=0)
        self.assertNotIn("b.cu:2: ", out + err)
