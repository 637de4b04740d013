/** One file of an archive. */
export type ArchivedFile = { name: string; content: Buffer }

const blockBytes = 512

/** A tar archive. Everything but names and contents is the same in each: no user, no group, mode 0600. */
export function tarOf(files: readonly ArchivedFile[], modifiedAt: Date): Buffer {
  const parts = files.flatMap(({ name, content }) => [
    headerOf({ name, bytes: content.length, modifiedAt }),
    content,
    Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes),
  ])
  return Buffer.concat([...parts, Buffer.alloc(2 * blockBytes)])
}

function headerOf({ name, bytes, modifiedAt }: { name: string; bytes: number; modifiedAt: Date }): Buffer {
  const header = Buffer.alloc(blockBytes)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  header.write(name, 0, 100)
  header.write(octal(0o600, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  header.write(octal(bytes, 11), 124)
  header.write(octal(Math.floor(modifiedAt.getTime() / 1000), 11), 136)
  // The sum is that of the header with spaces in its own place.
  header.fill(' ', 148, 156)
  header.write('0', 156)
  header.write('ustar\u000000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)}\0 `, 148)
  return header
}
