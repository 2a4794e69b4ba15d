/** What is used of `jstat`, which brings no types. */
declare module 'jstat' {
  const jStat: {
    readonly studentt: {
      /** The quantile of Student's t with `degrees` degrees of freedom. */
      inv(probability: number, degrees: number): number;
    };
  };
  export default jStat;
}
