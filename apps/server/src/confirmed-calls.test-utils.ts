import type { TestApplication, TestPerson } from './application.test-utils.ts'

export type Refusal = { error?: { code: string } }

/** Requests of people who have just confirmed that it’s them, to the server that a test has at that moment. */
export function confirmedCalls(server: () => TestApplication) {
  async function as<Answer>(
    person: TestPerson,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Answer & Refusal> {
    await server().confirm(person)
    const response = await server().call(method, `/api/v1${path}`, { person, body })
    return (response.status === 204 ? {} : await response.json()) as Answer & Refusal
  }
  return {
    as,
    /** The code of the refusal, or `done`. */
    codeOf: async (person: TestPerson, method: string, path: string, body?: unknown) =>
      (await as(person, method, path, body)).error?.code ?? 'done',
  }
}
