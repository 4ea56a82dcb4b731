/** The package has no types. */
declare module '@ffmpeg/core' {
  const create: import('./wasm-core.ts').CreateCore
  export default create
}
