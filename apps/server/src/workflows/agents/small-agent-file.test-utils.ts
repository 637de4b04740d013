import { packSkill } from '@threadbox/protocol/host'
import { type AgentFile, agentFileFormat, agentFileMark } from './agent-file.logic.ts'

export const skillText = '---\nname: counting\ndescription: Counts.\n---\nCount.\n'

/** A file with instructions and a skill, and without an environment. */
export function smallAgentFile(name: string): string {
  const skill = Buffer.from(
    packSkill([{ path: 'SKILL.md', isExecutable: false, content: new TextEncoder().encode(skillText) }]),
  ).toString()
  const named = {
    format: agentFileFormat as 1,
    exportedAt: 1,
    name,
    description: '',
    instructions: 'Count.',
    model: null,
  }
  const head = {
    ...named,
    skills: [{ name: 'counting', sizeBytes: skill.length }],
    connections: [],
    computer: null,
  } satisfies AgentFile
  return `${agentFileMark}${JSON.stringify(head)}\n${skill}`
}
