import { it } from 'vitest';
import { classify } from '../src/core/classify.js';
const rec={date:'Mon, 30 Nov 2026 12:00:00 GMT','content-type':'application/json','content-length':'10',connection:'keep-alive',server:'cloudflare','cf-ray':'x','x-request-id':'a','openai-organization':'o','openai-version':'2020','openai-processing-ms':'100','strict-transport-security':'x','alt-svc':'h3',vary:'x','set-cookie':'a','cf-cache-status':'D','x-content-type-options':'n','access-control-expose-headers':'x','x-envoy-upstream':'5',via:'x',etag:'y'};
const rl={...rec,'x-ratelimit-limit-requests':'500','x-ratelimit-limit-tokens':'90000','x-ratelimit-remaining-requests':'499','x-ratelimit-remaining-tokens':'2000','x-ratelimit-reset-requests':'120ms','x-ratelimit-reset-tokens':'58.666s'};
it('b',()=>{
 const t=(n:string,a:any)=>{let x:any;for(let i=0;i<2e5;i++)x=classify(a);const s=performance.now();const N=3e5;for(let i=0;i<N;i++)x=classify(a);console.log(n,((performance.now()-s)*1e6/N).toFixed(0),'ns',x.class)};
 t('plain 200 no headers',{status:200});
 t('plain 200 2 headers',{status:200,headers:{'content-type':'x','x-request-id':'y'}});
 t('plain 200 rec20',{provider:'openai',status:200,headers:rec,receivedAt:1796040000000});
 t('200 rec26 ratelimit',{provider:'openai',status:200,headers:rl,receivedAt:1796040000000});
 t('200 Headers20',{provider:'openai',status:200,headers:new Headers(rec as any)});
 t('200 obj body',{provider:'openai',status:200,headers:rec,body:{id:'x',choices:[{message:{content:'x'}}]}});
 t('429',{provider:'openai',status:429,headers:rl,receivedAt:1796040000000,body:{error:{message:'Rate limit reached for gpt-x in organization org-EXAMPLE on tokens per min (TPM): Limit 90000, Used 88000, Requested 6200. Please try again in 2.8s.',type:'tokens',code:'rate_limit_exceeded'}}});
 t('503 empty',{status:503,body:''});
});
