import { defineError } from '@threadbox/errors'

const seeFormat = 'See docs/skills.md and agentskills.io.'

export const skillNotFound = defineError({
  code: 'skill.not-found',
  kind: 'not-found',
  message: () => 'Skill not found.',
  remedy: () => 'It may have been deleted. Choose another one from the list.',
})

export const skillChanged = defineError<{ name: string }>({
  code: 'skill.changed',
  kind: 'conflict',
  message: ({ name }) => `The skill ${name} changed after it was read, so it wasn’t replaced.`,
  remedy: () => 'Read it again and redo your change.',
})

export const skillNameTaken = defineError<{ name: string }>({
  code: 'skill.name-taken',
  kind: 'conflict',
  message: ({ name }) => `A skill named ${name} already exists here.`,
  remedy: () => 'Replace or delete it, or change the name in this skill’s SKILL.md.',
})

export const skillLimitReached = defineError<{ limit: number }>({
  code: 'skill.limit-reached',
  kind: 'conflict',
  message: ({ limit }) => `You can have up to ${limit} skills here.`,
  remedy: () => 'Delete a skill you don’t use, or add this one to a workspace.',
})

export const skillTypeUnsupported = defineError<{ mediaType: string }>({
  code: 'skill.type-unsupported',
  kind: 'invalid',
  message: ({ mediaType }) =>
    `Can’t read a skill from ${mediaType === '' ? 'a body without a content type' : mediaType}.`,
  remedy: () =>
    'Send a zip file (application/zip), a SKILL.md (text/markdown), or the folder’s files as multipart/form-data, ' +
    'each under its path.',
})

export const skillArchiveInvalid = defineError<{ problem: string }>({
  code: 'skill.archive-invalid',
  kind: 'invalid',
  message: ({ problem }) => `Can’t unpack the skill: ${problem}`,
  remedy: () => 'Pack its folder again as a plain zip file without a password.',
})

export const skillTooLarge = defineError<{ limitBytes: number }>({
  code: 'skill.too-large',
  kind: 'too-large',
  message: ({ limitBytes }) => `The skill is larger than ${limitBytes} bytes, packed or unpacked.`,
  remedy: () => 'Leave out what isn’t needed. Let a script in the skill fetch large data when it’s used.',
})

export const skillTooManyFiles = defineError<{ limit: number }>({
  code: 'skill.too-many-files',
  kind: 'too-large',
  message: ({ limit }) => `The skill has more than ${limit} files.`,
  remedy: () => 'Leave out what isn’t needed, such as installed packages.',
})

export const skillPathUnsafe = defineError<{ path: string }>({
  code: 'skill.path-unsafe',
  kind: 'invalid',
  message: ({ path }) => `The skill contains a file with an invalid path: ${path}`,
  remedy: () =>
    'Use unique relative paths with forward slashes and without `..`, up to 240 printable characters and 12 ' +
    'folders deep.',
})

export const skillLinkRefused = defineError<{ path: string }>({
  code: 'skill.link-refused',
  kind: 'invalid',
  message: ({ path }) => `The skill contains something that isn’t a file or a folder: ${path}`,
  remedy: () => 'Replace the link with the file itself.',
})

export const skillFileMissing = defineError({
  code: 'skill.file-missing',
  kind: 'invalid',
  message: () => 'There is no SKILL.md, or there is more than one skill.',
  remedy: () => `Send one skill: its folder with a SKILL.md. ${seeFormat}`,
})

export const skillFrontMatterInvalid = defineError<{ problem: string }>({
  code: 'skill.front-matter-invalid',
  kind: 'invalid',
  message: ({ problem }) => `Can’t read the front matter of SKILL.md: ${problem}`,
  remedy: () => `Start the file with YAML between two lines of \`---\`, with a name and a description. ${seeFormat}`,
})

export const skillNameInvalid = defineError<{ name: string }>({
  code: 'skill.name-invalid',
  kind: 'invalid',
  message: ({ name }) => `${name} is not a valid skill name.`,
  remedy: () => `Use 1 to 64 characters: a–z, 0–9 and single hyphens, not at the start or end. ${seeFormat}`,
})

export const skillDescriptionInvalid = defineError<{ characters: number }>({
  code: 'skill.description-invalid',
  kind: 'invalid',
  message: ({ characters }) =>
    characters === 0 ? 'The skill has no description.' : `The skill’s description has ${characters} characters.`,
  remedy: () => `Use 1 to 1024 characters to say what it does and when to use it. ${seeFormat}`,
})

export const skillFolderDiffers = defineError<{ folder: string; name: string }>({
  code: 'skill.folder-differs',
  kind: 'invalid',
  message: ({ folder, name }) => `The skill is named ${name}, but its folder is named ${folder}.`,
  remedy: () => 'Use the same name for both.',
})
