import { equal, match, ok } from 'node:assert/strict'
import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { start } from '../hosts/index.ts'
import type { NewProject } from './new-project.ts'
import { scriptedModel } from './scripted-model.ts'

/** A README's quick start, followed as printed. */
export interface QuickStart {
  /** Packages of the application that the README takes for given. @default none */
  readonly before?: string
  /** Follows the README. Throws unless it has the promised effect. */
  follow(project: NewProject): Promise<void>
}

/** What the recording says. */
export const SPOKEN = 'The train to the coast leaves at seven in the morning.'

/** A README without a program: what its table says can be imported. */
const IMPORTS_OF_TABLE: QuickStart = {
  async follow({ readme, shell, write }) {
    const [, own = ''] = /^npm install (?<name>\S+)/m.exec(readme) ?? []
    // Tables behind the first heading of a section list files.
    const [table = ''] = readme.split('\n## ')
    const names = Array.from(table.matchAll(/^\| (?<cell>`.+?) \|/gm), ({ groups }) => groups?.['cell'] ?? '').flatMap(
      (cell) => Array.from(cell.matchAll(/`(?<name>[^`]+)`/g), ({ groups }) => groups?.['name'] ?? ''),
    )
    ok(names.length > 0, `the README of ${own} has no table of exports`)
    const isEntry = (name: string): boolean => name.startsWith(own)
    const entries = names.filter(isEntry)
    const exported = names.filter((name) => !isEntry(name))
    const lines = [
      `const modules = await Promise.all(${JSON.stringify([own, ...entries])}.map((entry) => import(entry)))`,
      `for (const name of ${JSON.stringify(exported)}) if (modules[0][name] === undefined) throw new Error('no ' + name)`,
      "console.log('imported', modules.length)",
    ]
    await write('main.js', `${lines.join('\n')}\n`)
    match(await shell('node main.js'), new RegExp(`imported ${entries.length + 1}`))
  },
}

/** Quick starts by package. */
export const QUICK_STARTS: Readonly<Record<string, QuickStart>> = {
  '@svc-audio/core': {
    async follow({ code, write, shell, folder }) {
      await write('main.ts', code('ts'))
      match(await shell('node main.ts'), /train leaves at nine/i)
      ok((await stat(join(folder, 'hello.mp3'))).size > 1000)
    },
  },
  '@svc-audio/text': {
    async follow({ code, write, shell }) {
      await write('main.ts', code('ts'))
      match(await shell('node main.ts'), /See the docs\./)
    },
  },
  '@svc-audio/engines': {
    async follow({ code, write, shell }) {
      await write('main.ts', code('ts'))
      match(await shell('node main.ts'), /^16000 \d+$/m)
    },
  },
  '@svc-audio/engine-espeak-ng': {
    async follow({ code, write, shell }) {
      await write('main.ts', code('ts'))
      match(await shell('node main.ts'), /^22050 \d+$/m)
    },
  },
  '@svc-audio/engine-ports': IMPORTS_OF_TABLE,
  '@svc-audio/engine-openai': IMPORTS_OF_TABLE,
  '@svc-audio/joe-en': IMPORTS_OF_TABLE,
  '@svc-audio/moonshine-en': IMPORTS_OF_TABLE,
  '@svc-audio/onnx-runtime': IMPORTS_OF_TABLE,
  '@svc-audio/pocketsphinx-en': IMPORTS_OF_TABLE,
  '@svc-audio/silero-vad': IMPORTS_OF_TABLE,
  '@svc-audio/ge2e': IMPORTS_OF_TABLE,
  '@svc-audio/engine-sherpa-onnx': {
    async follow({ code, write, shell }) {
      await write('main.ts', code('ts'))
      // No model comes with the package: the program says which folder it misses.
      const said = await shell('node main.ts 2>&1 || true')
      match(said, /models\/vits-piper-en_US-amy-low/)
      match(said, /MissingFilesError/)
    },
  },
  'n8n-nodes-svc-audio': {
    async follow({ shell, write }) {
      const lines = [
        "const { n8n } = require('n8n-nodes-svc-audio/package.json')",
        'for (const path of n8n.nodes) {',
        "  const [Node] = Object.values(require('n8n-nodes-svc-audio/' + path))",
        '  console.log(new Node().description.displayName)',
        '}',
      ]
      await write('main.cjs', `${lines.join('\n')}\n`)
      match(await shell('node main.cjs'), /^Svc Audio\nSvc Audio Trigger$/m)
    },
  },
  '@svc-audio/agent-tools': {
    async follow({ code, write, shell }) {
      await write('main.ts', code('ts'))
      match(await shell('node main.ts'), /Spoken: /)
    },
  },
  '@svc-audio/testing': {
    before: 'vitest',
    async follow({ code, write, shell }) {
      await write('voice.test.ts', code('ts'))
      match(await shell('npx vitest run'), /1 passed/)
    },
  },
  '@svc-audio/upload': {
    async follow(project) {
      await project.write('server.ts', project.code('ts'))
      await project.serve('server.ts', async (url) => {
        match(await transcript(url, project), /train to the coast/)
      })
    },
  },
  '@svc-audio/express-middleware': {
    async follow(project) {
      await project.write('app.ts', project.code('ts'))
      await project.serve('app.ts', (url) => transcribesAndSpeaks(url, project))
    },
  },
  '@svc-audio/fastify': {
    async follow(project) {
      await project.write('app.ts', project.code('ts'))
      await project.serve('app.ts', (url) => transcribesAndSpeaks(url, project))
    },
  },
  '@svc-audio/hono': {
    before: '@hono/node-server',
    async follow(project) {
      await project.write('app.ts', project.code('ts'))
      await project.write(
        'serve.ts',
        "import { serve } from '@hono/node-server'\nimport app from './app.ts'\nserve({ fetch: app.fetch, port: 3000 })\n",
      )
      await project.serve('serve.ts', (url) => transcribesAndSpeaks(url, project))
    },
  },
  '@svc-audio/nestjs': {
    before: '@nestjs/core @nestjs/common @nestjs/platform-express reflect-metadata rxjs typescript',
    async follow(project) {
      await project.write('app.ts', project.code('ts'))
      await project.write(
        'main.ts',
        "import 'reflect-metadata'\nimport { NestFactory } from '@nestjs/core'\nimport { AppModule } from './app.js'\nawait (await NestFactory.create(AppModule, { logger: ['error'] })).listen(3000)\n",
      )
      await project.shell(
        'npx tsc --module nodenext --target es2023 --experimentalDecorators --emitDecoratorMetadata --skipLibCheck main.ts',
      )
      await project.serve('main.js', async (url) => {
        match(await transcript(`${url}/transcribe`, project), /train to the coast/)
      })
    },
  },
  '@svc-audio/langchain-tools': {
    async follow({ code, write, shell, folder }) {
      await write('agent.ts', code('ts'))
      await using model = await scriptedModel({ tool: 'speak', arguments: { text: 'Good morning.' } })
      const said = await shell('node agent.ts', { OPENAI_API_KEY: 'scripted', OPENAI_BASE_URL: model.url })
      match(said, /Spoken: /)
      match(await shell(`ls ${join(folder, 'audio')}`), /audio_/)
    },
  },
  '@svc-audio/voice': {
    async follow({ code, write, shell, serve }) {
      await write('server.ts', code('ts'))
      await shell('mkdir public')
      await write('public/index.html', code('html'))
      await serve('server.ts', async (url) => {
        match(await (await fetch(url)).text(), /VoiceClient/)
        match(await (await fetch(`${url}/svc-audio-voice/browser/index.js`)).text(), /VoiceClient/)
        match(await firstMessage(url), /"type":"ready"/)
      })
    },
  },
  '@svc-audio/ai-sdk': {
    async follow({ code, write, shell, folder }) {
      await write('main.ts', code('ts'))
      match(await shell('node main.ts'), /hello there/i)
      ok((await stat(join(folder, 'hello.wav'))).size > 1000)
    },
  },
  '@svc-audio/mcp': {
    async follow({ code, write, shell }) {
      const [, check = ''] = /npx @svc-audio\/mcp (.+)/.exec(code('sh')) ?? []
      match(await shell(`npx svc-audio-mcp ${check}`), /Everything works/)
      const [, options = ''] = /"@svc-audio\/mcp", (.+)\]/.exec(code('json')) ?? []
      const messages = [
        call(1, 'initialize', {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'newcomer', version: '1.0.0' },
        }),
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        call(2, 'tools/call', { name: 'speak', arguments: { text: 'Good morning.' } }),
      ]
      await write('messages', `${messages.map((message) => JSON.stringify(message)).join('\n')}\n`)
      // The server ends with its input, so the input stays open until the audio is stored.
      const input = '(cat messages; until ls data/svc-audio/audio_* >/dev/null 2>&1; do sleep 0.2; done; sleep 1)'
      const server = `XDG_DATA_HOME="$PWD/data" timeout 120 npx svc-audio-mcp ${options.replaceAll(',', '')}`
      match(await shell(`${input} | ${server}`), /Spoken: /)
    },
  },
  '@svc-audio/vite-plugin': {
    before: 'vite',
    async follow({ code, write, shell }) {
      await write('vite.config.ts', code('ts'))
      await write('main.js', code('js'))
      await write('post.md', '# Trains\n\nThe train leaves at seven.\n')
      await write(
        'index.html',
        '<!doctype html><article id="post"></article><script type="module" src="/main.js"></script>\n',
      )
      await shell('env -u SVC_AUDIO_API_KEY -u SVC_AUDIO_BASE_URL npx vite build')
      match(await shell('ls dist/assets'), /\.mp3$/m)
    },
  },
  'svc-audio': {
    async follow({ code, write, shell }) {
      const lines = code('sh').split('\n')
      const alone = async (command: string): Promise<string> => {
        const line = lines.find((one) => one.startsWith(`npx svc-audio ${command}`)) ?? ''
        return shell(`env -u SVC_AUDIO_API_KEY -u SVC_AUDIO_BASE_URL ${line}`)
      }
      await write('README.md', '# Trains\n\nThe train leaves at seven.\n')
      await alone('speak README.md')
      // The recognizer looks at the bytes, not at the name.
      await shell('cp readme.mp3 talk.mp4')
      match(await alone('transcribe talk.mp4  '), /train leaves/i)
    },
  },
  '@svc-audio/service': {
    async follow({ shell, folder }) {
      const whole = await installedMebibytes(shell)
      ok(whole <= 250, `the service with its engines takes ${whole} MiB`)
      const command = join(folder, 'node_modules/.bin/svc-audio-service')
      const ready = /^ *address +(?<address>\S+)[^]*^ *API key +(?<key>\S+)$/m
      await using service = await start(command, ['--port', '0'], { cwd: folder, ready })
      const { address, key } = service.match.groups ?? {}
      const body = `{"model":"svc-tts-1.5-flash","input":"Hello there.","voice_id":"rms"}`
      const headers = `-H "authorization: Bearer ${key}" -H 'content-type: application/json'`
      await shell(`curl -fsS ${address}/v1/audio/speech ${headers} -d '${body}' -o hello.mp3`)
      ok((await stat(join(folder, 'hello.mp3'))).size > 1000)
      await shell('npm install --omit=optional')
      const lean = await installedMebibytes(shell)
      ok(lean <= 50, `the service without its engines takes ${lean} MiB`)
    },
  },
}

/** Size of what is installed, as `du` counts it. */
async function installedMebibytes(shell: NewProject['shell']): Promise<number> {
  return Number.parseInt(await shell('du -sm node_modules'), 10)
}

/** Starts a voice conversation. @returns the first text of the server */
async function firstMessage(url: string): Promise<string> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/voice`)
  const format = { sampleRate: 16_000, channels: 1, bitDepth: 16 }
  socket.addEventListener('open', () => socket.send(JSON.stringify({ type: 'start', protocol: 1, format })))
  const { promise, resolve } = Promise.withResolvers<string>()
  socket.addEventListener('message', ({ data }) => resolve(String(data)))
  socket.addEventListener('close', ({ code, reason }) => resolve(`closed with ${code}: ${reason}`))
  const text = await promise
  socket.close()
  return text
}

function call(id: number, method: string, params: object): object {
  return { jsonrpc: '2.0', id, method, params }
}

/** Sends the recording as a browser does. @returns the body of the response */
async function transcript(url: string, { surroundings }: NewProject): Promise<string> {
  const body = new FormData()
  body.append('file', await openAsBlob(surroundings.recording), 'speech.wav')
  const response = await fetch(url, { method: 'POST', body })
  equal(response.status < 300, true, `${url} responded ${response.status}`)
  return response.text()
}

async function transcribesAndSpeaks(url: string, project: NewProject): Promise<void> {
  match(await transcript(`${url}/transcribe`, project), /train to the coast/)
  match(await transcript(`${url}/transcribe/live`, project), /^data: /m)
  const spoken = await fetch(`${url}/speak`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'Good morning.' }),
  })
  match(spoken.headers.get('content-type') ?? '', /^audio\//)
  ok((await spoken.arrayBuffer()).byteLength > 1000)
}
