/** A dropped file and its path relative to the folder that it was dropped on. */
export type DroppedFile = { path: string; file: File }
export type Dropped = { files: DroppedFile[]; folders: string[] }

/** The most files per drop or chosen folder; a larger folder was chosen by mistake. */
const mostFiles = 20_000

/**
 * All dropped files, including the contents of folders. Call it synchronously in the drop event: the list is empty
 * afterwards.
 */
export function droppedFiles(transfer: DataTransfer): Promise<Dropped> {
  const roots = [...transfer.items].flatMap((item) => (item.kind === 'file' ? (item.webkitGetAsEntry() ?? []) : []))
  return collect(roots, [...transfer.files])
}

/** Files chosen in a dialog; for a chosen folder the browser gives the path of each of its files. */
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

/** Browsers return the entries of a folder in batches, until an empty one. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const children: FileSystemEntry[] = []
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (part.length === 0) return children
    children.push(...part)
  }
}
