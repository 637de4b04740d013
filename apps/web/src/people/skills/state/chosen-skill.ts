import type { SkillBody } from '@threadbox/sdk'

/** The request body for the selected files: the text of a `SKILL.md`, a ZIP archive, or all files of a folder. */
export async function chosenSkill(files: readonly File[]): Promise<SkillBody | undefined> {
  const [first] = files
  if (first === undefined) return undefined
  if (files.length === 1 && first.webkitRelativePath === '') {
    return /\.md$/i.test(first.name) ? await first.text() : first
  }
  return files.map((file) => ({ path: file.webkitRelativePath || file.name, content: file }))
}
