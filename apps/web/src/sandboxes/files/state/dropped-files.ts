/** A file of a drop and where it belongs, relative to the folder that it was dropped on. */
export type DroppedFile = { path: string; file: File }
export type Dropped = { files: DroppedFile[]; folders: string[] }

/** Files of a drop or of a chosen folder; a folder of this many is chosen by mistake. */
const mostFiles = 20_000

/**
 * Everything that was dropped, folders with all that is in them. It has to be called while the drop is told: the list is
 * empty afterwards.
 */
export function droppedFiles(transfer: DataTransfer): Promise<Dropped> {
  const roots = [...transfer.items].flatMap((item) => (item.kind === 'file' ? (item.webkitGetAsEntry() ?? []) : []))
  return collect(roots, [...transfer.files])
}

/** What was chosen in a dialog; a chosen folder tells the path of each of its files. */
export function chosenFiles(files: Iterable<File>): Dropped {
  return {
    files: [...files].map((file) => ({
      path: file.webkitRelativePath === '' ? file.name : file.webkitRelativePath,
      file,
    })),
    folders: [],
  }
}

async function collect(roots: readonly FileSystemEntry[], plain: readonly File[]): Promise<Dropped> {
  if (roots.length === 0) return chosenFiles(plain)
  const dropped: Dropped = { files: [], folders: [] }
  const add = async (entry: FileSystemEntry, path: string): Promise<void> => {
    if (dropped.files.length >= mostFiles) return
    if (entry.isFile) {
      const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
      dropped.files.push({ path, file })
      return
    }
    dropped.folders.push(path)
    for (const child of await childrenOf(entry as FileSystemDirectoryEntry)) await add(child, `${path}/${child.name}`)
  }
  for (const root of roots) await add(root, root.name)
  return dropped
}

/** A browser hands out the entries of a folder in parts, until an empty one. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const children: FileSystemEntry[] = []
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (part.length === 0) return children
    children.push(...part)
  }
}
