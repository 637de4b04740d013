/**
 * The same keys as the English texts, with any words: what a translation has to provide. A language without plurals, such
 * as Japanese, omits the keys that end in `_one`.
 */
export type Texts<Source> = {
  [Key in keyof Source as Key extends `${string}_one` ? never : Key]: TextOrTexts<Source[Key]>
} & { [Key in keyof Source as Key extends `${string}_one` ? Key : never]?: TextOrTexts<Source[Key]> }

type TextOrTexts<Value> = Value extends string ? string : Texts<Value>
