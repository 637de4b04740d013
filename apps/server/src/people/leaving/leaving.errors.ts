import { defineError } from '@threadbox/errors'

export const personNotDisabled = defineError({
  code: 'person.not-disabled',
  kind: 'conflict',
  message: () => 'This person’s account isn’t disabled.',
  remedy: () => 'Disable the account first.',
})

export const recipientInvalid = defineError({
  code: 'person.recipient-invalid',
  kind: 'invalid',
  message: () => 'This person can’t receive it.',
  remedy: () => 'Choose another person whose account isn’t disabled.',
})

export const personLeaving = defineError({
  code: 'person.leaving',
  kind: 'conflict',
  message: () => 'What this person has is being handed over or erased.',
  remedy: () => 'Wait until it has ended.',
})

export const ownerLeaves = defineError({
  code: 'person.owner-leaves',
  kind: 'conflict',
  message: () => 'The owner’s account can’t be deleted.',
  remedy: () => 'Hand over ownership first.',
})

export const ownershipNotOffered = defineError({
  code: 'ownership.not-offered',
  kind: 'not-found',
  message: () => 'Ownership isn’t offered to you.',
  remedy: () => 'The offer may have expired or been withdrawn. Ask the owner to offer it again.',
})
