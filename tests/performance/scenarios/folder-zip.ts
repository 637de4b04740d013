import { type Figure, timed } from '../figure.ts'
import type { Stage } from '../stage.ts'

const rounds = 6
const megabytes = 130

/** Compressible text and incompressible bytes, in few large and many small files. */
const makeFolder = `mkdir -p /home/user/folder/small && cd /home/user/folder &&
head -c 64M /dev/urandom > random.bin && yes 'a line of text that can be packed' | head -c 64M > text.txt &&
python3 -c "
for index in range(1000):
    open(f'small/{index}.txt', 'w').write(f'file {index} ' * 200)
"`

/** A folder downloaded as a zip from the sandbox, next to \`zip\` inside it. */
export async function folderZip(stage: Stage): Promise<Figure[]> {
  const { thread, sandboxId } = await stage.newAwakeThread()
  await stage.host.run(sandboxId, makeFolder)
  const about = { unit: 'MB/s', target: null } as const
  const zip: Figure = {
    ...about,
    id: 'folder-zip',
    title: `Folder of ${megabytes} MB and 1000 files downloaded as a zip from the sandbox`,
    floorTitle: '`zip -3` of the same folder inside the sandbox, output discarded',
    samples: [],
    floorSamples: [],
  }
  const tar: Figure = {
    ...about,
    id: 'folder-zip-tar',
    title: 'The same again',
    floorTitle: '`tar` of the same folder inside the sandbox, not compressed',
    samples: zip.samples,
    floorSamples: [],
  }
  const rate = async (work: () => Promise<unknown>) => megabytes / ((await timed(work)) / 1000)
  for (let round = 0; round < rounds; round++) {
    const inside = (command: string) => () => stage.host.run(sandboxId, `cd /home/user && ${command} | cat > /dev/null`)
    zip.floorSamples.push(await rate(inside('zip -q -3 -r - folder')))
    tar.floorSamples.push(await rate(inside('tar cf - folder')))
    zip.samples.push(await rate(() => download(stage, thread.id)))
  }
  await stage.client.threads.delete(thread.id)
  return [zip, tar]
}

async function download(stage: Stage, threadId: string): Promise<void> {
  const answer = await fetch(stage.client.files.archiveUrl(threadId, '/home/user/folder'), {
    headers: { authorization: `Bearer ${stage.server.apiKey}` },
  })
  if (!answer.ok || answer.body === null) throw new Error(`the folder answered ${answer.status}`)
  for await (const _part of answer.body) {
  }
}
