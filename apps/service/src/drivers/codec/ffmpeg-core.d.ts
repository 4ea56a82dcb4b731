/** The package has no types of its own. */
declare module '@ffmpeg/core' {
  const create: import('./core-types.ts').CreateCore
  export default create
}
