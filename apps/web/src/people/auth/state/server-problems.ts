import { isThreadboxError } from '@threadbox/sdk'
import { fieldProblemsOf } from './sign-up-form.ts'

/** Splits a server error into sentences for fields. Without a field, it applies to the form as a whole. */
export function serverProblemsOf<Field extends string>(
  error: unknown,
  fields: readonly Field[],
): { fields: Partial<Record<Field, string>>; isShownAtFields: boolean } {
  const named = isThreadboxError(error) ? fieldProblemsOf(error, fields) : {}
  return { fields: named, isShownAtFields: Object.keys(named).length > 0 }
}
