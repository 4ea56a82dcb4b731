import { once } from 'node:events'
import { createServer } from 'node:http'
import { freePort } from '../hosts/index.ts'

/** The tool call of a scripted model. */
export interface ScriptedCall {
  readonly tool: string
  readonly arguments: object
}

/** A chat model whose every response is one tool call, in the form of OpenAI's Responses API. */
export async function scriptedModel(call: ScriptedCall): Promise<AsyncDisposable & { readonly url: string }> {
  const port = await freePort()
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const status = 'completed'
      const use = { name: call.tool, arguments: JSON.stringify(call.arguments) }
      const output = [{ type: 'function_call', id: 'fc_1', call_id: 'call_1', status, ...use }]
      const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({ id: 'resp_1', object: 'response', created_at: 1, model: 'scripted', status, output, usage }),
      )
    })
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
