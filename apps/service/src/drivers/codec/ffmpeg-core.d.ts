/** The package has no types. */
declare module '@ffmpeg/core' {
  const create: import('./core-types.ts').CreateCore
  export default create
}
