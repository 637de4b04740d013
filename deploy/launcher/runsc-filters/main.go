// Adds precompiled seccomp filters to the source of runsc in the current directory, as gVisor's own build does: its Go
// module is without them. With them, a start doesn't compile the filters of its two processes.
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"gvisor.dev/gvisor/pkg/seccomp/precompiledseccomp"
	"gvisor.dev/gvisor/pkg/sentry/platform"
	sentry "gvisor.dev/gvisor/runsc/boot/filter/config"
	gofer "gvisor.dev/gvisor/runsc/fsgofer/filter/config"
)

// Where the module has an empty list.
const registered = "\tprecompiledPrograms = programs\n"

func main() {
	log.SetFlags(0)
	systrap, err := platform.Lookup("systrap")
	check(err)
	programs, err := sentry.Precompiled(systrap)
	check(err)
	check(add("runsc/boot/filter", programs))
	programs, err = gofer.PrecompiledPrograms()
	check(err)
	check(add("runsc/fsgofer/filter", programs))
}

func add(folder string, programs []precompiledseccomp.Program) error {
	file := filepath.Join(folder, "filter_precompiled.go")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if len(programs) == 0 || strings.Count(string(text), registered) != 1 {
		return fmt.Errorf("%s: %d programs, and another content than expected", file, len(programs))
	}
	var list strings.Builder
	for _, program := range programs {
		list.WriteString(program.Registration("\t", "precompiledseccomp", "programs"))
	}
	return os.WriteFile(file, []byte(strings.Replace(string(text), registered, list.String()+registered, 1)), 0o644)
}

func check(err error) {
	if err != nil {
		log.Fatalf("The filters of runsc can't be compiled: %v", err)
	}
}
