import { defineError } from '@threadbox/errors'

const seeFormat = 'The format is described in docs/skills.md and at agentskills.io.'

export const skillNotFound = defineError({
  code: 'skill.not-found',
  kind: 'not-found',
  message: () => 'There is no skill with this id.',
  remedy: () => 'It may have been deleted. Choose another one from the list.',
})

export const skillChanged = defineError<{ name: string }>({
  code: 'skill.changed',
  kind: 'conflict',
  message: ({ name }) => `The skill ${name} was changed by somebody else since it was read, so it was not replaced.`,
  remedy: () => 'Read it again and repeat the change.',
})

export const skillNameTaken = defineError<{ name: string }>({
  code: 'skill.name-taken',
  kind: 'conflict',
  message: ({ name }) => `There is a skill ${name} already, in the same place.`,
  remedy: () => 'Replace or delete that one, or give this one another name in its SKILL.md.',
})

export const skillLimitReached = defineError<{ limit: number }>({
  code: 'skill.limit-reached',
  kind: 'conflict',
  message: ({ limit }) => `There are ${limit} skills in this place, and more than that no agent can look through.`,
  remedy: () => 'Delete one that is not used, or put this one into a workspace.',
})

export const skillTypeUnsupported = defineError<{ mediaType: string }>({
  code: 'skill.type-unsupported',
  kind: 'invalid',
  message: ({ mediaType }) => `A skill cannot be read from ${mediaType === '' ? 'a body without a type' : mediaType}.`,
  remedy: () =>
    'Send a zip (application/zip), a SKILL.md (text/markdown), or the files of the folder as multipart/form-data, each under its path.',
})

export const skillArchiveInvalid = defineError<{ problem: string }>({
  code: 'skill.archive-invalid',
  kind: 'invalid',
  message: ({ problem }) => `The skill cannot be unpacked: ${problem}`,
  remedy: () => 'Pack its folder again as a plain zip, without a password.',
})

export const skillTooLarge = defineError<{ limitBytes: number }>({
  code: 'skill.too-large',
  kind: 'too-large',
  message: ({ limitBytes }) => `The skill is larger than ${limitBytes} bytes, packed or unpacked.`,
  remedy: () => 'Leave out what is not needed; large data can be fetched by a script of the skill when it is used.',
})

export const skillTooManyFiles = defineError<{ limit: number }>({
  code: 'skill.too-many-files',
  kind: 'too-large',
  message: ({ limit }) => `The skill has more than ${limit} files.`,
  remedy: () => 'Leave out what is not needed, such as installed packages.',
})

export const skillPathUnsafe = defineError<{ path: string }>({
  code: 'skill.path-unsafe',
  kind: 'invalid',
  message: ({ path }) => `The skill has a file with a path that cannot be used: ${path}`,
  remedy: () =>
    'Use relative paths with forward slashes, without `..`, each once, of at most 240 printable characters and 12 folders.',
})

export const skillLinkRefused = defineError<{ path: string }>({
  code: 'skill.link-refused',
  kind: 'invalid',
  message: ({ path }) => `The skill has something that is neither a file nor a folder: ${path}`,
  remedy: () => 'Put the file itself in the place of the link.',
})

export const skillFileMissing = defineError({
  code: 'skill.file-missing',
  kind: 'invalid',
  message: () => 'There is no SKILL.md, or there are several skills.',
  remedy: () => `Send one skill: its folder with a SKILL.md in it. ${seeFormat}`,
})

export const skillFrontMatterInvalid = defineError<{ problem: string }>({
  code: 'skill.front-matter-invalid',
  kind: 'invalid',
  message: ({ problem }) => `The beginning of SKILL.md cannot be read: ${problem}`,
  remedy: () => `It begins with YAML between two lines of \`---\` that has a name and a description. ${seeFormat}`,
})

export const skillNameInvalid = defineError<{ name: string }>({
  code: 'skill.name-invalid',
  kind: 'invalid',
  message: ({ name }) => `${name} cannot be the name of a skill.`,
  remedy: () => `Use 1 to 64 of a-z, 0-9 and single hyphens, none at the beginning or end. ${seeFormat}`,
})

export const skillDescriptionInvalid = defineError<{ characters: number }>({
  code: 'skill.description-invalid',
  kind: 'invalid',
  message: ({ characters }) =>
    characters === 0
      ? 'The skill has no description, so no agent would know when to use it.'
      : `The description of the skill has ${characters} characters.`,
  remedy: () => `Say in 1 to 1024 characters what it does and when to use it. ${seeFormat}`,
})

export const skillFolderDiffers = defineError<{ folder: string; name: string }>({
  code: 'skill.folder-differs',
  kind: 'invalid',
  message: ({ folder, name }) => `The skill is called ${name}, but its folder is called ${folder}.`,
  remedy: () => 'Give both the same name.',
})
