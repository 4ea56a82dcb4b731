#!/usr/bin/env node
import { folderAudioStore } from '@svc-audio/agent-tools'
import { AudioClient, SvcAudioError } from '@svc-audio/core'
import { type CliArguments, HELP, readArguments } from './arguments.ts'
import type { SpeechServerOptions } from './create-speech-server.ts'
import { serveHttp } from './serve-http.ts'
import { serveStdio } from './serve-stdio.ts'
import { packageVersion } from './version.ts'

try {
  await main(readArguments(process.argv.slice(2), process.env))
} catch (error) {
  // Standard output belongs to the protocol.
  console.error(`svc-audio-mcp: ${SvcAudioError.isInstance(error) ? error.message : String(error)}`)
  process.exitCode = 1
}

async function main(args: CliArguments): Promise<void> {
  if (args.command === 'help') return void process.stdout.write(HELP)
  if (args.command === 'version') return void process.stdout.write(`${packageVersion()}\n`)
  const client = new AudioClient()
  try {
    const options = optionsOf(args, client)
    if (args.command === 'stdio') await serveStdio(options)
    else await untilStopped(options, args)
  } finally {
    await client.close()
  }
}

function optionsOf(args: CliArguments, client: AudioClient): SpeechServerOptions {
  const { voice, folder, allowUrls, allowedRoot, model, transcriptionModel } = args
  return {
    client,
    voice_id: voice,
    store: folderAudioStore(folder),
    allowUrls,
    ...(allowedRoot === undefined ? {} : { allowedRoot }),
    ...(model === undefined ? {} : { model }),
    ...(transcriptionModel === undefined ? {} : { transcriptionModel }),
  }
}

async function untilStopped(
  options: SpeechServerOptions,
  { port, host, token, allowedHosts, stateless, maxSessions, idleTimeout }: CliArguments,
): Promise<void> {
  const server = await serveHttp({
    ...options,
    port,
    host,
    stateless,
    ...(maxSessions === undefined ? {} : { maxSessions }),
    ...(idleTimeout === undefined ? {} : { idleTimeout }),
    ...(token === undefined ? {} : { token }),
    ...(allowedHosts === undefined ? {} : { allowedHosts }),
  })
  console.error(`svc-audio-mcp: listening on ${server.url}`)
  const { promise: stopped, resolve } = Promise.withResolvers<void>()
  process.once('SIGINT', () => resolve()).once('SIGTERM', () => resolve())
  await stopped
  await server.close()
}
