/* SPDX-License-Identifier: MIT
 *
 * Cooperative groups of a grid, of a cluster, of a block, of tiles of its warps, and of converged
 * lanes: CUDA C++ Programming Guide, cooperative groups.
 */
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

#pragma clang system_header

namespace cooperative_groups
{

#define SIMT_MEMBER __device__ __attribute__((always_inline, nodebug))

namespace simt_detail
{

SIMT_ON_DEVICE unsigned int lane()
{
    unsigned int result;
    __asm__("mov.u32 %0, %%laneid;" : "=r"(result));
    return result;
}

SIMT_ON_DEVICE unsigned int rank_in_block()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

SIMT_ON_DEVICE unsigned int threads_of_block()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

/* Returns the number of lanes of the mask below this thread's lane. */
SIMT_ON_DEVICE unsigned int lanes_below(unsigned int mask)
{
    return static_cast<unsigned int>(__popc(mask & ((1u << lane()) - 1)));
}

/* Shuffles a value of any type, one word at a time. `shuffle` takes and returns a word. */
template <typename Value, typename Shuffle>
SIMT_ON_DEVICE Value shuffle_words(const Value &value, const Shuffle &shuffle)
{
    enum { WORDS = (sizeof(Value) + 3) / 4 };
    unsigned int words[WORDS] = {};
    Value result;

    __builtin_memcpy(words, &value, sizeof value);
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        words[k] = shuffle(words[k]);
    __builtin_memcpy(&result, words, sizeof result);
    return result;
}

} // namespace simt_detail

/* Any group: a block, or the lanes of a mask in one warp. */
class thread_group
{
  public:
    SIMT_MEMBER unsigned int size() const
    {
        return is_block ? simt_detail::threads_of_block() : static_cast<unsigned int>(__popc(mask));
    }

    SIMT_MEMBER unsigned int num_threads() const
    {
        return size();
    }

    SIMT_MEMBER unsigned int thread_rank() const
    {
        return is_block ? simt_detail::rank_in_block() : simt_detail::lanes_below(mask);
    }

    SIMT_MEMBER bool is_valid() const
    {
        return true;
    }

    SIMT_MEMBER void sync() const
    {
        if (is_block)
            __syncthreads();
        else
            __syncwarp(mask);
    }

  protected:
    SIMT_MEMBER thread_group(bool is_block_, unsigned int mask_) : is_block(is_block_), mask(mask_)
    {
    }

    friend SIMT_MEMBER inline thread_group tiled_partition(const thread_group &parent,
                                                           unsigned int size);

    bool is_block;
    unsigned int mask; /* of lanes, unless the group is a block */
};

class thread_block : public thread_group
{
  public:
    SIMT_MEMBER static void sync()
    {
        __syncthreads();
    }

    SIMT_MEMBER static unsigned int size()
    {
        return simt_detail::threads_of_block();
    }

    SIMT_MEMBER static unsigned int num_threads()
    {
        return simt_detail::threads_of_block();
    }

    SIMT_MEMBER static unsigned int thread_rank()
    {
        return simt_detail::rank_in_block();
    }

    SIMT_MEMBER static dim3 group_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }

    SIMT_MEMBER static dim3 thread_index()
    {
        return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
    }

    SIMT_MEMBER static dim3 group_dim()
    {
        return dim3(blockDim.x, blockDim.y, blockDim.z);
    }

    SIMT_MEMBER static dim3 dim_threads()
    {
        return group_dim();
    }

  private:
    SIMT_MEMBER thread_block() : thread_group(true, 0)
    {
    }

    friend SIMT_MEMBER inline thread_block this_thread_block();
};

SIMT_MEMBER inline thread_block this_thread_block()
{
    return thread_block();
}

class coalesced_group;

/* The blocks of a cluster. Without a cluster launch, a block is a cluster of its own. */
class cluster_group
{
#define SIMT_CLUSTER_REGISTER(name, special)                                                       \
    SIMT_MEMBER static unsigned int name()                                                         \
    {                                                                                              \
        unsigned int result;                                                                       \
        __asm__ volatile("mov.u32 %0, %%" special ";" : "=r"(result));                             \
        return result;                                                                             \
    }

  public:
    struct arrival_token {
    };

    SIMT_CLUSTER_REGISTER(block_rank, "cluster_ctarank")
    SIMT_CLUSTER_REGISTER(num_blocks, "cluster_nctarank")

    SIMT_MEMBER static dim3 block_index()
    {
        return dim3(index_x(), index_y(), index_z());
    }

    SIMT_MEMBER static dim3 dim_blocks()
    {
        return dim3(blocks_x(), blocks_y(), blocks_z());
    }

    SIMT_MEMBER static unsigned int num_threads()
    {
        return num_blocks() * simt_detail::threads_of_block();
    }

    SIMT_MEMBER static unsigned int size()
    {
        return num_threads();
    }

    SIMT_MEMBER static unsigned int thread_rank()
    {
        return block_rank() * simt_detail::threads_of_block() + simt_detail::rank_in_block();
    }

    SIMT_MEMBER static arrival_token barrier_arrive()
    {
        __asm__ volatile("barrier.cluster.arrive;" ::: "memory");
        return arrival_token();
    }

    SIMT_MEMBER static void barrier_wait(arrival_token && = arrival_token())
    {
        __asm__ volatile("barrier.cluster.wait;" ::: "memory");
    }

    SIMT_MEMBER static void sync()
    {
        barrier_arrive();
        barrier_wait();
    }

    SIMT_MEMBER static unsigned int query_shared_rank(const void *address)
    {
        unsigned int rank;
        __asm__ volatile("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(address));
        return rank;
    }

    template <typename Value>
    SIMT_MEMBER static Value *map_shared_rank(Value *address, unsigned int rank)
    {
        Value *there;
        __asm__ volatile("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(address), "r"(rank));
        return there;
    }

  private:
    SIMT_CLUSTER_REGISTER(index_x, "cluster_ctaid.x")
    SIMT_CLUSTER_REGISTER(index_y, "cluster_ctaid.y")
    SIMT_CLUSTER_REGISTER(index_z, "cluster_ctaid.z")
    SIMT_CLUSTER_REGISTER(blocks_x, "cluster_nctaid.x")
    SIMT_CLUSTER_REGISTER(blocks_y, "cluster_nctaid.y")
    SIMT_CLUSTER_REGISTER(blocks_z, "cluster_nctaid.z")
#undef SIMT_CLUSTER_REGISTER
};

SIMT_MEMBER inline cluster_group this_cluster()
{
    return cluster_group();
}

/* All threads of a grid. A cooperative launch gives the grid a workspace. Two environment registers
 * hold its address. One word of it counts the blocks that have arrived. */
class grid_group
{
  public:
    SIMT_MEMBER static unsigned long long size()
    {
        return blocks() * simt_detail::threads_of_block();
    }

    SIMT_MEMBER static unsigned long long num_threads()
    {
        return size();
    }

    SIMT_MEMBER static unsigned long long num_blocks()
    {
        return blocks();
    }

    SIMT_MEMBER static unsigned long long block_rank()
    {
        return blockIdx.x +
               static_cast<unsigned long long>(gridDim.x) *
                   (blockIdx.y + static_cast<unsigned long long>(gridDim.y) * blockIdx.z);
    }

    SIMT_MEMBER static unsigned long long thread_rank()
    {
        return block_rank() * simt_detail::threads_of_block() + simt_detail::rank_in_block();
    }

    SIMT_MEMBER static dim3 group_dim()
    {
        return dim3(gridDim.x, gridDim.y, gridDim.z);
    }

    SIMT_MEMBER static dim3 dim_blocks()
    {
        return group_dim();
    }

    SIMT_MEMBER static bool is_valid()
    {
        return workspace() != nullptr;
    }

    /* Every block adds one, except the first. The first adds the missing amount to 2^31. So bit 31
     * changes when the last block arrives, and the other bits are zero again. */
    SIMT_MEMBER static void sync()
    {
        if (!is_valid())
            __asm__ volatile("trap;");
        __syncthreads();
        if (simt_detail::rank_in_block() == 0) {
            unsigned int *arrived = workspace() + 1, old;
            unsigned int others = static_cast<unsigned int>(blocks()) - 1;

            __threadfence();
            old = atomicAdd(arrived, block_rank() == 0 ? 0x80000000 - others : 1);
            while (((old ^ *static_cast<volatile unsigned int *>(arrived)) & 0x80000000) == 0) {
            }
            __threadfence();
        }
        __syncthreads();
    }

  private:
    SIMT_MEMBER grid_group()
    {
    }

    SIMT_MEMBER static unsigned long long blocks()
    {
        return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
    }

    SIMT_MEMBER static unsigned int *workspace()
    {
        unsigned int high, low;

        __asm__("mov.u32 %0, %%envreg1;" : "=r"(high));
        __asm__("mov.u32 %0, %%envreg2;" : "=r"(low));
        return reinterpret_cast<unsigned int *>(static_cast<unsigned long long>(high) << 32 | low);
    }

    friend SIMT_MEMBER inline grid_group this_grid();
};

SIMT_MEMBER inline grid_group this_grid()
{
    return grid_group();
}

/* Lanes of one warp: the common base of tiles and coalesced groups. */
class simt_lanes : public thread_group
{
  public:
    SIMT_MEMBER unsigned int ballot(int vote) const
    {
        return pack(__ballot_sync(mask, vote));
    }

    SIMT_MEMBER int any(int vote) const
    {
        return __any_sync(mask, vote);
    }

    SIMT_MEMBER int all(int vote) const
    {
        return __all_sync(mask, vote);
    }

    template <typename Value>
    SIMT_MEMBER unsigned int match_any(Value value) const
    {
        return pack(__match_any_sync(mask, value));
    }

    template <typename Value>
    SIMT_MEMBER unsigned int match_all(Value value, int &same) const
    {
        return pack(__match_all_sync(mask, value, &same));
    }

  protected:
    template <typename Value>
    friend SIMT_MEMBER inline coalesced_group labeled_partition(const simt_lanes &group,
                                                                Value label);

    SIMT_MEMBER explicit simt_lanes(unsigned int mask_) : thread_group(false, mask_)
    {
    }

    /* Returns the lane of the group's thread of that rank. */
    SIMT_MEMBER int lane_of(unsigned int rank) const
    {
        unsigned int left = mask;

        for (unsigned int k = 0; k < rank; k++)
            left &= left - 1;
        return __ffs(static_cast<int>(left)) - 1;
    }

  private:
    /* Converts a mask of lanes to a mask of ranks in the group. */
    SIMT_MEMBER unsigned int pack(unsigned int lanes) const
    {
        unsigned int result = 0;

        if ((mask & (mask + (mask & -mask))) == 0) /* the group's lanes are contiguous */
            return (lanes & mask) >> (__ffs(static_cast<int>(mask)) - 1);
        for (unsigned int left = mask, rank = 0; left != 0; left &= left - 1, rank++)
            result |= (lanes >> (__ffs(static_cast<int>(left)) - 1) & 1) << rank;
        return result;
    }
};

template <unsigned int Size, typename Parent = thread_block>
class thread_block_tile : public simt_lanes
{
    static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0,
                  "with clang, the size of a tile must be a power of two up to 32");

  public:
    SIMT_MEMBER explicit thread_block_tile(const thread_group &) : simt_lanes(lanes())
    {
    }

    static constexpr unsigned int num_threads_of_tile = Size;

    __host__ __device__ static constexpr unsigned int size()
    {
        return Size;
    }

    __host__ __device__ static constexpr unsigned int num_threads()
    {
        return Size;
    }

    SIMT_MEMBER static unsigned int thread_rank()
    {
        return simt_detail::lane() % Size;
    }

    SIMT_MEMBER unsigned int meta_group_rank() const
    {
        return simt_detail::rank_in_block() / Size;
    }

    SIMT_MEMBER unsigned int meta_group_size() const
    {
        return (simt_detail::threads_of_block() + Size - 1) / Size;
    }

    template <typename Value>
    SIMT_MEMBER Value shfl(Value value, int rank) const
    {
        return simt_detail::shuffle_words(
            value, [&](unsigned int word)
                       __attribute__((device)) { return __shfl_sync(mask, word, rank, Size); });
    }

    template <typename Value>
    SIMT_MEMBER Value shfl_up(Value value, unsigned int delta) const
    {
        return simt_detail::shuffle_words(
            value, [&](unsigned int word)
                       __attribute__((device)) { return __shfl_up_sync(mask, word, delta, Size); });
    }

    template <typename Value>
    SIMT_MEMBER Value shfl_down(Value value, unsigned int delta) const
    {
        return simt_detail::shuffle_words(
            value, [&](unsigned int word) __attribute__((device)) {
                return __shfl_down_sync(mask, word, delta, Size);
            });
    }

    template <typename Value>
    SIMT_MEMBER Value shfl_xor(Value value, unsigned int bits) const
    {
        return simt_detail::shuffle_words(
            value, [&](unsigned int word) __attribute__((device)) {
                return __shfl_xor_sync(mask, word, static_cast<int>(bits), Size);
            });
    }

  private:
    SIMT_MEMBER static unsigned int lanes()
    {
        return Size == 32 ? 0xffffffff
                          : ((1u << Size % 32) - 1) << simt_detail::lane() / Size * Size;
    }
};

/* Lanes of a warp that run together, or a part of them. */
class coalesced_group : public simt_lanes
{
  public:
    SIMT_MEMBER explicit coalesced_group(unsigned int mask_) : simt_lanes(mask_)
    {
    }

    template <typename Value>
    SIMT_MEMBER Value shfl(Value value, unsigned int rank) const
    {
        int source = lane_of(rank % size());

        return simt_detail::shuffle_words(
            value, [&](unsigned int word)
                       __attribute__((device)) { return __shfl_sync(mask, word, source); });
    }

    template <typename Value>
    SIMT_MEMBER Value shfl_up(Value value, unsigned int delta) const
    {
        unsigned int rank = thread_rank();

        return shfl(value, rank >= delta ? rank - delta : rank);
    }

    template <typename Value>
    SIMT_MEMBER Value shfl_down(Value value, unsigned int delta) const
    {
        unsigned int rank = thread_rank();

        return shfl(value, rank + delta < size() ? rank + delta : rank);
    }
};

SIMT_MEMBER inline coalesced_group coalesced_threads()
{
    return coalesced_group(__activemask());
}

template <unsigned int Size, typename Parent>
SIMT_MEMBER inline thread_block_tile<Size, Parent> tiled_partition(const Parent &parent)
{
    return thread_block_tile<Size, Parent>(parent);
}

SIMT_MEMBER inline thread_group tiled_partition(const thread_group &parent, unsigned int size)
{
    unsigned int rank = parent.thread_rank();
    unsigned int first = simt_detail::lane() - rank % size;

    return thread_group(false, size >= 32 ? 0xffffffff : ((1u << size) - 1) << first);
}

/* Returns the lanes of the group that have the same label. */
template <typename Value>
SIMT_MEMBER inline coalesced_group labeled_partition(const simt_lanes &group, Value label)
{
    return coalesced_group(__match_any_sync(group.mask, label));
}

template <typename Group>
SIMT_MEMBER inline void sync(const Group &group)
{
    group.sync();
}

/* ---- Reductions ---- */

#define SIMT_OPERATION(name, expression)                                                           \
    template <typename Value>                                                                      \
    struct name {                                                                                  \
        SIMT_MEMBER Value operator()(Value a, Value b) const                                       \
        {                                                                                          \
            return expression;                                                                     \
        }                                                                                          \
    };
SIMT_OPERATION(plus, a + b)
SIMT_OPERATION(less, b < a ? b : a)
SIMT_OPERATION(greater, a < b ? b : a)
SIMT_OPERATION(bit_and, a &b)
SIMT_OPERATION(bit_or, a | b)
SIMT_OPERATION(bit_xor, a ^ b)
#undef SIMT_OPERATION

template <unsigned int Size, typename Parent, typename Value, typename Operation>
SIMT_MEMBER inline Value reduce(const thread_block_tile<Size, Parent> &tile, Value value,
                                Operation operation)
{
#pragma unroll
    for (unsigned int bits = Size / 2; bits > 0; bits /= 2)
        value = operation(value, tile.shfl_xor(value, bits));
    return value;
}

template <typename Value, typename Operation>
SIMT_MEMBER inline Value reduce(const coalesced_group &group, Value value, Operation operation)
{
    Value result = group.shfl(value, 0);

    for (unsigned int rank = 1; rank < group.size(); rank++)
        result = operation(result, group.shfl(value, rank));
    return result;
}

#undef SIMT_MEMBER

} // namespace cooperative_groups

#endif
