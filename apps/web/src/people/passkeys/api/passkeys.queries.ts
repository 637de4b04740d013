import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { PasskeyAssertion } from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'
import { getPasskey, makePasskey } from '../state/ceremony.ts'

export function usePasskeys() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.passkeys,
    queryFn: ({ signal }) => client.passkeys.list(signal),
    select: (answer) => answer.passkeys,
  })
}

/** Signs in with the passkey that the browser asks for, or with one that was chosen in the email field. */
export function useSignInWithPasskey() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (chosen: PasskeyAssertion | null) => {
      const assertion = chosen ?? (await getPasskey(await client.passkeys.signInRequest()))
      return await client.passkeys.signIn({ assertion })
    },
    onSuccess: (me) => {
      queries.clear()
      queries.setQueryData(queryKeys.me, me)
    },
  })
}

export function useConfirmWithPasskey() {
  const client = useClient()
  return useMutation({
    mutationFn: async () => {
      const assertion = await getPasskey(await client.passkeys.confirmRequest())
      await client.account.confirm({ assertion })
    },
  })
}

export function useAddPasskey() {
  const client = useClient()
  const change = useChanged()
  return useMutation({
    mutationFn: async (name: string) => {
      const registration = await makePasskey(await client.passkeys.addRequest())
      return await client.passkeys.add({ name, registration })
    },
    onSuccess: change,
  })
}

export function useRenamePasskey() {
  const client = useClient()
  const change = useChanged()
  return useMutation({
    mutationFn: (wanted: { id: string; name: string }) => client.passkeys.rename(wanted.id, wanted.name),
    onSuccess: change,
  })
}

export function useRemovePasskey() {
  const client = useClient()
  const change = useChanged()
  return useMutation({ mutationFn: (id: string) => client.passkeys.remove(id), onSuccess: change })
}

/** Whether the person needs one can change with the list. */
function useChanged() {
  const queries = useQueryClient()
  return async () => {
    await queries.invalidateQueries({ queryKey: queryKeys.passkeys })
    await queries.invalidateQueries({ queryKey: queryKeys.me })
  }
}
