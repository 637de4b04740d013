import type { Connection, ConnectionPreset, ConnectionProgram } from '@threadbox/sdk'

/** An environment variable as typed. The server never returns the value of a stored secret, so it is empty. */
export type VariableForm = { key: string; name: string; value: string; isSecret: boolean }

/** A program as typed: one argument per line, because no shell splits them. */
export type ProgramForm = { command: string; args: string; variables: VariableForm[] }

export type ProgramProblem = 'missing' | 'not-a-command' | 'not-a-variable' | 'secret-again'
export type ProgramProblems = {
  command?: ProgramProblem
  /** By the key of the variable. */
  names: Record<string, ProgramProblem>
  values: Record<string, ProgramProblem>
}

const noProgram: ProgramForm = { command: '', args: '', variables: [] }

export function programFormOf(source: Pick<Connection | ConnectionPreset, 'program'> | null): ProgramForm {
  const program = source?.program ?? null
  if (program === null) return noProgram
  const variables = program.environment.map(({ name, value, isSecret }) => {
    return { key: name, name, value: value ?? '', isSecret }
  })
  return { command: program.command, args: program.args.join('\n'), variables }
}

export function newVariable(): VariableForm {
  return { key: crypto.randomUUID(), name: '', value: '', isSecret: true }
}

/** True if the form equals the stored program: its secrets stay then. */
export function isSameProgram(form: ProgramForm, saved: ConnectionProgram | null): boolean {
  if (saved === null) return false
  const before = programFormOf({ program: saved })
  const plain = ({ variables, ...rest }: ProgramForm) =>
    JSON.stringify([rest, variables.map(({ name, value, isSecret }) => [name, value, isSecret])])
  return plain(form) === plain(before)
}

export function programProblemsOf(form: ProgramForm, saved: ConnectionProgram | null): ProgramProblems {
  const problems: ProgramProblems = { names: {}, values: {} }
  if (isSameProgram(form, saved)) return problems
  const command = form.command.trim()
  if (command === '') problems.command = 'missing'
  // A path may contain a space. A name with one is a whole command line typed into this field.
  else if (/\s/.test(command) && !command.startsWith('/')) problems.command = 'not-a-command'
  const stored = new Set(saved?.environment.filter(({ isSecret }) => isSecret).map(({ name }) => name))
  for (const { key, name, value, isSecret } of form.variables) {
    const isTwice = form.variables.some((other) => other.key !== key && other.name.trim() === name.trim())
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name.trim()) || isTwice) problems.names[key] = 'not-a-variable'
    if (isSecret && value === '') problems.values[key] = stored.has(name.trim()) ? 'secret-again' : 'missing'
  }
  return problems
}

export function hasProblems({ command, names, values }: ProgramProblems): boolean {
  return command !== undefined || Object.keys(names).length + Object.keys(values).length > 0
}

export function programRequest(form: ProgramForm) {
  const args = form.args === '' ? [] : form.args.replace(/\n+$/, '').split('\n')
  return {
    command: form.command.trim(),
    args,
    environment: form.variables.map(({ name, value, isSecret }) => ({ name: name.trim(), value, isSecret })),
  }
}
