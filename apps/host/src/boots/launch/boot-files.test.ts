import { mkdir, mkdtemp, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { makeBootFiles } from './boot-files.ts'

test('C13, G6: a fork gets the skills of its source, whose links lead nowhere outside of it', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-boot-files-'))
  try {
    const files = makeBootFiles({ directory, guestDirectory: '/guest', certificateBundle: '', extraCertificates: '' })
    const [source, fork] = [files.skillsOf('source'), files.skillsOf('fork')]
    await mkdir(path.join(source, '.versions/one/scripts'), { recursive: true })
    await writeFile(path.join(source, '.versions/one/SKILL.md'), 'read me')
    await symlink('.versions/one', path.join(source, 'charts'))
    await files.copySkills({ from: 'source', to: 'fork' })
    expect(await readlink(path.join(fork, 'charts'))).toBe('.versions/one')
    expect(await readFile(path.join(fork, 'charts/SKILL.md'), 'utf8')).toBe('read me')
    await files.copySkills({ from: 'without', to: 'fork' })
    await expect(readlink(path.join(fork, 'charts'))).rejects.toMatchObject({ code: 'ENOENT' })
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})
