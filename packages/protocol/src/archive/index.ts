/** The format in which folders leave a sandbox, written inside it or, while it sleeps, by its host. */
export { contentOfFile } from './file-content.ts'
export { type ZipEntry, zipStream } from './zip-stream.ts'
