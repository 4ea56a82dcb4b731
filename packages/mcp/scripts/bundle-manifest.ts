/** The part of `package.json` that a bundle needs. */
export interface PackageManifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly keywords: readonly string[]
  readonly license: string
  readonly homepage: string
  readonly author: { readonly name: string; readonly email: string }
  readonly engines: { readonly node: string }
}

/** The manifest of the bundle: how to start the server, and what to ask the user for. */
export function bundleManifest({
  version,
  description,
  keywords,
  license,
  homepage,
  author,
  engines,
}: PackageManifest): object {
  return {
    manifest_version: '0.3',
    name: 'svc-audio',
    display_name: 'Speech and transcription',
    version,
    description,
    author,
    homepage,
    documentation: homepage,
    license,
    keywords,
    server: {
      type: 'node',
      entry_point: 'server/main.js',
      mcp_config: {
        command: 'node',
        args: ['${__dirname}/server/main.js'],
        env: {
          SVC_AUDIO_API_KEY: '${user_config.api_key}',
          SVC_AUDIO_BASE_URL: '${user_config.base_url}',
          SVC_AUDIO_VOICE_ID: '${user_config.voice}',
        },
      },
    },
    tools_generated: true,
    tools: [
      { name: 'speak', description: 'Speaks a text' },
      { name: 'play', description: 'Plays audio on this computer' },
      { name: 'transcribe', description: 'Writes down what is said in audio' },
    ],
    user_config: {
      api_key: {
        type: 'string',
        title: 'Key',
        description: 'Key of the audio service',
        sensitive: true,
        required: true,
      },
      base_url: {
        type: 'string',
        title: 'Address',
        description: 'Address of the audio service, e.g. http://127.0.0.1:8787',
        required: true,
      },
      voice: {
        type: 'string',
        title: 'Voice',
        description: 'Id of the voice that speaks. Empty for the first voice of the service',
        required: false,
        default: '',
      },
    },
    compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: engines.node } },
  }
}
