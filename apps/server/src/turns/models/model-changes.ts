import type { ModelConnection } from '@threadbox/protocol/public'
import { type Audit, auditAddress, auditChange } from '../../people/public.ts'
import type { Models } from './models.usecases.ts'

type ChangeOf<Method extends 'connect' | 'update' | 'disconnect'> = (
  userId: string,
  ...input: Parameters<Models[Method]>
) => ReturnType<Models[Method]>

/** A person’s changes to the models, each with a row in the audit log. */
export type ModelChanges = {
  connect: ChangeOf<'connect'>
  update: ChangeOf<'update'>
  disconnect: ChangeOf<'disconnect'>
}

export function makeModelChanges({ models, audit }: { models: Models; audit: Pick<Audit, 'record'> }): ModelChanges {
  const find = async (id: string) => (await models.list()).find((model) => model.id === id)
  return {
    connect: async (userId, input) => {
      const model = await models.connect(input)
      const change = auditChange(null, stateOf(model))
      await audit.record({ userId, action: 'model-connected', subject: model.id, ...change })
      return model
    },
    update: async (userId, id, input) => {
      const before = await find(id)
      const model = await models.update(id, input)
      const details = { name: model.name, hasNewKey: input.apiKey !== undefined }
      const change = auditChange(before === undefined ? null : stateOf(before), stateOf(model))
      await audit.record({ userId, action: 'model-changed', subject: id, details, ...change })
      return model
    },
    disconnect: async (userId, id) => {
      const before = await find(id)
      await models.disconnect(id)
      const change = auditChange(before === undefined ? null : stateOf(before), null)
      await audit.record({ userId, action: 'model-removed', subject: id, ...change })
    },
  }
}

function stateOf(model: ModelConnection) {
  const { name, provider, keySource, isDefault, contextTokens, supportsImages } = model
  const { inputUsdPerMillion, outputUsdPerMillion } = model
  const prices = { inputUsdPerMillion, outputUsdPerMillion }
  const address = auditAddress(model.baseUrl)
  return { name, provider, model: model.model, address, keySource, isDefault, contextTokens, supportsImages, ...prices }
}
