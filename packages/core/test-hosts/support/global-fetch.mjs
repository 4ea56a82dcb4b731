// Run as its own program: whether the client's first request changes what the application's own `fetch` does.
import { createServer } from 'node:http'
import { AudioClient } from '@svc-audio/core'
import { MockAgent, ProxyAgent, setGlobalDispatcher } from 'undici6'

const listen = async (server) => {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${server.address().port}`
}
const service = createServer((request, response) => {
  request.resume()
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"list","data":[]}')
})
const baseUrl = await listen(service)
const audio = new AudioClient({ apiKey: 'key', baseUrl, maxRetries: 0 })
// A name that only a proxy or a mock answers.
const ask = () =>
  fetch('http://app.invalid/').then(
    async (response) => response.text(),
    (error) => error.message,
  )

const [how, when] = process.argv.slice(2)
const proxy = createServer((_, response) => response.end('by the proxy'))
proxy.on('connect', (_, socket) => {
  socket.write('HTTP/1.1 200 Connected\r\n\r\n')
  socket.once('data', () =>
    socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 12\r\n\r\nby the proxy'),
  )
})
const set = async () => {
  if (how === 'proxy') setGlobalDispatcher(new ProxyAgent(await listen(proxy)))
  if (how === 'mock') {
    const agent = new MockAgent()
    agent.disableNetConnect()
    agent.get('http://app.invalid').intercept({ path: '/' }).reply(200, 'by the mock').persist()
    setGlobalDispatcher(agent)
  }
}
const dispatchers = () => [1, 2].map((number) => globalThis[Symbol.for(`undici.globalDispatcher.${number}`)])
if (when === 'before') await set()
if (when === 'before') console.log(`before: ${await ask()}`)
const own = dispatchers()
await audio.models.list()
console.log(`same: ${dispatchers().every((dispatcher, index) => dispatcher === own[index])}`)
if (when === 'after') await set()
console.log(`after: ${await ask()}`)
process.exit(0)
