/** Something that a person does; its cost includes everything that follows from it. */
export type Operation = {
  id: string
  title: string
  /** What has to be in place; not measured. */
  prepare?(): Promise<void>
  /** Resolves when the person has the result. */
  act(): Promise<void>
  /** How often a sample repeats it: what costs little is measured together. */
  times?: number
  /** The same by bare parts; `prepare` is not measured. */
  floor: { title: string; prepare?(): Promise<unknown>; act(): Promise<unknown> }
  /** Removes what is left; not measured. */
  clean?(): Promise<void>
}
