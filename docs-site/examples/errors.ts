import { createClient, isThreadboxError } from '@threadbox/sdk'

const threadbox = createClient({
  baseUrl: process.env.THREADBOX_URL ?? 'http://127.0.0.1:7717',
  apiKey: process.env.THREADBOX_API_KEY ?? '',
})

try {
  await threadbox.threads.get('unknown')
} catch (error) {
  if (!isThreadboxError(error) || error.code !== 'thread.not-found') throw error
  console.log(error.message, error.remedy)
}
