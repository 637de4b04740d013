/** The same keys as the English texts, with any words: what a translation has to provide. */
export type Texts<Source> = { [Key in keyof Source]: Source[Key] extends string ? string : Texts<Source[Key]> }
