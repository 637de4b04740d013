/**
 * Python that gives a running kernel the environment variables `now`, and takes away those of `before` that it still has.
 * Leaves no name in the kernel. Undefined if nothing changes.
 */
export function codeForVariables(
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): string | undefined {
  const [given, wanted] = [before, now].map((variables) => JSON.stringify(variables))
  // JSON of texts is also Python.
  return given === wanted ? undefined : `exec(${JSON.stringify(program)}, {'before': ${given}, 'now': ${wanted}})`
}

const program = `
import os
for name, value in before.items():
    if name not in now and os.environ.get(name) == value:
        del os.environ[name]
os.environ.update(now)
`
