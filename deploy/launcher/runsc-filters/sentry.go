package config

import (
	"gvisor.dev/gvisor/pkg/seccomp"
	"gvisor.dev/gvisor/pkg/seccomp/precompiledseccomp"
	"gvisor.dev/gvisor/pkg/sentry/platform"
)

// Precompiled returns the filters of the kernel of a sandbox that has its own network and opens its files itself.
// PrecompiledPrograms compiles those of 576 sets of options, which takes 25 seconds.
func Precompiled(constructor platform.Constructor) ([]precompiledseccomp.Program, error) {
	var programs []precompiledseccomp.Program
	for _, info := range constructor.PrecompiledSeccompInfo() {
		opt := Options{Platform: info, HostFilesystem: true}
		var names []string
		for name := range opt.Vars() {
			names = append(names, name)
		}
		build := func(values precompiledseccomp.Values) *seccomp.Program {
			allowed, denied := rules(opt, values)
			ruleSets := []seccomp.RuleSet{{Rules: denied.Copy()}, {Rules: allowed.Copy(), Action: seccomp.Allow}}
			return &seccomp.Program{RuleSets: ruleSets, Options: SeccompOptions(opt)}
		}
		program, err := precompiledseccomp.Precompile(opt.ConfigKey(), names, build)
		if err != nil {
			return nil, err
		}
		programs = append(programs, program)
	}
	return programs, nil
}
